"""Twins are started by key alone, so many at a time, woken, compared and ended: each by the facts."""

import pytest

from checkpoints import arms, stops
from checkpoints.models import Run, Twin
from releases.gates import standing
from releases.looks.taking import policy_of
from releases.models import Release
from releases.shadows import keeping, reading, starting, sweeping, telling
from releases.shadows.models import Compared
from tenants.actors import Actor
from tests.checkpoints.records import by_force
from tests.engine.faketools import effects
from tests.engine.turns import Bench
from tests.execution.runs import full
from tests.releases.shadows.beside import Stage, released, stage
from tests.releases.traffic import Traffic


@pytest.fixture
def made(engine: Bench, monkeypatch: pytest.MonkeyPatch) -> Stage:
    return stage(engine, monkeypatch)


def begun(made: Stage, count: int) -> list[Run]:
    """Live runs that nobody takes up."""
    runs = [made.bench.start("odd", what="a") for _ in range(count)]
    Run.objects.filter(mode="live").update(due_at=None)
    return runs


def test_a_run_gets_its_twin_by_its_key_alone(made: Stage, releases: Traffic) -> None:
    release = released(releases, made, share=5_000, at_once=100)
    runs = begun(made, 20)
    salt = starting.salt(release, "shadow")
    taken = {run.pk for run in runs if arms.takes(salt, run.business_key, share=5_000)}
    assert 0 < len(taken) < len(runs)
    assert starting.start_due() == len(taken)
    assert set(Twin.objects.values_list("twin_of", flat=True)) == taken
    twin = Twin.objects.select_related("run__combo", "twin_of__combo").first()
    assert twin is not None
    assert (twin.run.combo, twin.series) == (made.candidate, release.pk)
    assert starting.start_due() == 0


def test_so_many_are_at_work_at_a_time(made: Stage, releases: Traffic) -> None:
    released(releases, made, at_once=2)
    begun(made, 5)
    assert [starting.start_due(), starting.start_due()] == [2, 0]
    Twin.objects.first()
    with by_force():
        waits = {"status": "waiting", "reason": "for_same_key"}
        Run.objects.filter(mode="shadow").update(**waits)
    # Who only waits for a live run takes no worker up.
    assert starting.start_due() == 2


@pytest.mark.parametrize("why_not", ["place", "combo", "age", "share", "stop", "policy"])
def test_no_twin_is_started(made: Stage, releases: Traffic, why_not: str) -> None:
    release = released(releases, made, share=0 if why_not == "share" else 10_000)
    [run] = begun(made, 1)
    if why_not == "place":
        releases.move(release, standing.STOP)
    with by_force():
        if why_not == "combo":
            Run.objects.filter(pk=run.pk).update(combo=made.candidate)
        if why_not == "age":
            long_ago = run.created_at - 2 * starting.FRESH
            Run.objects.filter(pk=run.pk).update(created_at=long_ago)
        if why_not == "policy":
            Release.objects.filter(pk=release.pk).update(policy=b"{}")
    if why_not == "stop":
        stops.stop(run.tenant, "new_runs", why="enough", actor=Actor.machine("test"))
    assert starting.start_due() == 0
    assert not Twin.objects.exists()


def test_a_canary_has_fewer_and_those_are_of_stable_runs(made: Stage, releases: Traffic) -> None:
    release = released(releases, made)
    wanted = policy_of(release).shadows
    assert starting.share(release, wanted) == 10_000
    release.place = standing.CANARY
    assert starting.share(release, wanted) == wanted.share_of_canary
    release.place = standing.STABLE
    assert starting.share(release, wanted) == 0


def test_drills_are_a_share_of_the_twins(made: Stage, releases: Traffic) -> None:
    release = released(releases, made, drills=3_000)
    wanted = policy_of(release).shadows
    struck = [starting.dies_at(release, wanted, f"key {n}") for n in range(2_000)]
    drills = [each for each in struck if each is not None]
    assert 520 < len(drills) < 680
    assert set(drills) == {1, 2, 3}
    assert struck == [starting.dies_at(release, wanted, f"key {n}") for n in range(2_000)]


def test_what_a_twin_did_is_compared_once_and_told(made: Stage, releases: Traffic) -> None:
    release = released(releases, made)
    live = made.live()
    assert starting.start_due() == 1
    made.bench.turn()
    assert keeping.keep_due() == 0
    made.allow(live)
    assert sweeping.wake() == 1
    made.bench.turn()
    assert [keeping.keep_due(), keeping.keep_due()] == [1, 0]
    kept = Compared.objects.get()
    assert (kept.kind, kept.same_path, kept.ended) == ("same", True, "at_end")
    assert (kept.tokens, kept.live_tokens) == (3, 3)
    assert kept.ms is not None
    tally = reading.tally(release)
    assert telling.line(tally.kinds) == "1 twin: 1 same."
    assert (tally.started, tally.under_way, tally.tokens.twin) == (1, 0, 3.0)
    assert reading.divergence(release)["irreversible"].of == 1
    assert len(effects()) == 1


@pytest.mark.parametrize(
    ("says", "kind", "ended"), [("b", "words", "at_end"), ("other", "different", "at_effect")]
)
def test_another_effect_is_told_from_other_words(
    engine: Bench,
    monkeypatch: pytest.MonkeyPatch,
    releases: Traffic,
    says: str,
    kind: str,
    ended: str,
) -> None:
    made = stage(engine, monkeypatch, says=says)
    release = released(releases, made)
    live = made.live()
    starting.start_due()
    made.bench.turn()
    if kind == "words":
        made.allow(live)
        made.go_on(Twin.objects.get().run)
    # Past what both share nobody has to wait for the live run's yes.
    assert keeping.keep_due() == 1
    kept = Compared.objects.get()
    assert (kept.kind, kept.ended) == (kind, ended)
    assert kept.effects[0]["where"] == ["/what"]
    hits = reading.divergence(release)["irreversible"].hits
    assert hits == (1 if kind == "different" else 0)
    assert [each.pk for each in reading.examples(release, kind)] == [kept.pk]


def test_the_twins_of_a_release_that_is_over_are_ended(made: Stage, releases: Traffic) -> None:
    release = released(releases, made)
    made.live()
    starting.start_due()
    made.bench.turn()
    assert sweeping.end_strays() == 0
    releases.move(release, standing.STOP)
    assert [sweeping.end_strays(), sweeping.end_strays()] == [1, 0]
    made.bench.turn()
    twin = full(Run.objects.get(mode="shadow"))
    assert (twin.status, twin.stop_reason) == ("cancelled", "cancelled_by_person")
    # Whoever ended it, it was not its combo.
    assert keeping.keep_due() == 0


def test_one_round_does_all_of_it_at_its_own_pace(
    made: Stage, releases: Traffic, monkeypatch: pytest.MonkeyPatch
) -> None:
    released(releases, made)
    begun(made, 1)
    sweeping._pace.forget()
    assert [sweeping.sweep(), sweeping.sweep()] == [1, 0]
    sweeping._pace.forget()
