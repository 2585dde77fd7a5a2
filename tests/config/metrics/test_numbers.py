"""The three numbers that are scraped are those that the pages show, counted from the same rows."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.utils import timezone

from checkpoints.models import Case, Event, Recovery, Run
from config.metrics import catalog
from config.metrics.collecting import PARTS
from execution.costs import ASKED
from execution.pages.figures import figures
from reconciliation.models import Action, LookUp
from releases.numbers.runs import NOT_TAKEN_SECONDS
from tests.checkpoints.records import by_force
from tests.config.metrics.scraping import scrape
from tests.config.test_roles_worker import as_worker, granted
from tests.engine.turns import Bench
from tests.people import make_tenant
from tests.wall.role import as_web

__all__ = ["granted"]
DURATION = "kedge_recovery_duration_seconds"


def recovery(run: Run, fence: int, ended: str, *, seconds: float = 1, days_ago: int = 0) -> None:
    noticed = timezone.now() - timedelta(days=days_ago, hours=1)
    over = noticed + timedelta(seconds=seconds)
    Recovery.objects.create(
        run=run,
        why="its worker is gone",
        interrupted_fence=fence,
        noticed_at=noticed,
        taken_over_at=noticed + timedelta(seconds=seconds / 2),
        new_boundary_at=over if ended == "recovered" else None,
        ended=ended,
        ended_at=over if ended else None,
    )


def test_recoveries_are_those_of_the_page(engine: Bench) -> None:
    run = engine.start(steps=1)
    for fence, ended in enumerate(["recovered", "recovered", "by_person", "", "interrupted"]):
        recovery(run, fence, ended, seconds=fence + 1)
    recovery(run, 90, "recovered", days_ago=31)
    page, found = figures(engine.tenant), scrape()
    assert found.total("kedge_recoveries") == page.begun == 4
    assert found.value("kedge_recoveries", ended="recovered") == page.recovered == 2
    assert found.value("kedge_recoveries", ended="by_person") == page.by_person == 1
    assert found.value("kedge_recoveries", ended="open") == page.under_way == 1
    buckets = {le: found.value(f"{DURATION}_bucket", le=le) for le in ("0.5", "1", "2.5", "+Inf")}
    assert buckets == {"0.5": 0, "1": 1, "2.5": 2, "+Inf": 2}
    assert (found.total(f"{DURATION}_gcount"), found.total(f"{DURATION}_gsum")) == (2, 3)


def test_a_recovery_under_way_is_censored_and_no_duration(engine: Bench) -> None:
    recovery(engine.start(steps=1), 1, "")
    found = scrape()
    assert found.total(f"{DURATION}_gcount") == 0
    assert found.total("kedge_recovery_open_age_seconds_gcount") == 1
    assert found.total("kedge_recovery_open_oldest_seconds") >= 3600
    assert found.value("kedge_recovery_open_age_seconds_bucket", le="900") == 0


def test_each_takeover_counts_also_of_a_recovery_that_was_interrupted(engine: Bench) -> None:
    run = engine.start(steps=1)
    recovery(run, 1, "interrupted", seconds=2)
    recovery(run, 2, "recovered", seconds=4)
    found = scrape()
    assert found.total("kedge_lease_takeovers") == 2
    assert found.total("kedge_lease_takeover_duration_seconds_gsum") == pytest.approx(3)


@pytest.mark.django_db(transaction=True)
def test_duplicates_say_of_how_many(engine: Bench) -> None:
    for what in ("one", "two"):
        run = engine.start(steps=1, tool="fake.look_up", what=what)
        engine.turn()
        engine.decide(run)
        engine.turn()
    action = Action.objects.order_by("proposed_at").select_related("run__combo")[0]
    run, attempt = action.run, action.attempts.get()
    LookUp.objects.create(attempt=attempt, answer="found", boot_id="b", boot_seconds=1.0)
    page, found = figures(engine.tenant), scrape()
    assert found.total("kedge_effects_happened") == page.happened == 2
    assert found.total("kedge_effects_checked") == page.checked == 1
    assert found.total("kedge_duplicates_found") == page.duplicates == 0
    combo = {"task_type": run.task_type, "combo": bytes(run.combo.digest).hex()[:12]}
    assert found.value("kedge_combo_effects_checked", **combo) == 1
    with by_force():
        Case.objects.create(
            tenant=engine.tenant,
            run=run,
            kind="duplicate_effect",
            sentence="twice",
            fingerprint=uuid4().hex,
        )
    page, found = figures(engine.tenant), scrape()
    assert found.total("kedge_duplicates_found") == page.duplicates == 1
    assert found.value("kedge_combo_duplicates_found", **combo) == 1
    old = timezone.now() - timedelta(days=31)
    with by_force():
        Case.objects.update(opened_at=old)
        Action.objects.update(settled_at=old)
    page, found = figures(engine.tenant), scrape()
    assert found.total("kedge_effects_happened") == page.happened == 0
    assert found.total("kedge_duplicates_found") == page.duplicates == 0


@pytest.mark.django_db(transaction=True)
def test_answers_of_people_are_counted_by_combo(engine: Bench) -> None:
    runs = [
        engine.start(steps=1, tool="fake.look_up", what=what)
        for what in ("one", "two", "three", "four")
    ]
    for _ in runs:
        engine.turn()
    for run, verdict in zip(runs, ("approve", "reject", "approve"), strict=False):
        engine.decide(run, verdict)
    run = runs[0]
    found, name = scrape(by_tenant=True), "kedge_combo_questions_answered"
    labels = {**of(run), "tenant": engine.tenant.slug}
    assert found.value(name, **labels, answer="no") == 1
    assert found.value(name, **labels, answer="yes") == 2
    summed = scrape()
    assert summed.value(name, **of(run), answer="yes") == 2


def test_a_run_that_needed_a_person_once_is_counted_when_it_went_on(engine: Bench) -> None:
    stuck, _quiet, left, woken = (engine.start(steps=1) for _ in range(4))
    long_ago = timezone.now() - timedelta(seconds=NOT_TAKEN_SECONDS + 1)
    with by_force():
        Run.objects.filter(pk=left.pk).update(due_at=long_ago)
        Run.objects.filter(pk=woken.pk).update(due_at=long_ago, status="waiting", reason="approval")
        Case.objects.create(
            tenant=engine.tenant, run=stuck, kind="crash_loop", sentence="x", fingerprint="x" * 32
        )
    found = scrape()
    assert found.value("kedge_combo_runs_held", **of(stuck)) == 3
    assert found.total("kedge_combo_runs") == 4
    assert found.total("kedge_held_runs") == 0


def test_tokens_are_those_that_model_calls_noted_and_a_run_without_a_note_is_not_free(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = [engine.start(steps=1) for _ in range(3)]
    for _ in runs:
        engine.turn()
    engine.start(steps=1)  # has not ended, so it has not taken all it will
    with by_force():
        Event.objects.filter(run=runs[0], what=ASKED).delete()
    found, name = scrape(), "kedge_combo_tokens"
    assert found.value(name, **of(runs[0])) == 6
    assert found.value(f"{name}_runs", **of(runs[0]), noted="yes") == 2
    assert found.value(f"{name}_runs", **of(runs[0]), noted="no") == 1
    monkeypatch.setattr(catalog, "COMBO_RUNS_PRICED", 2)
    assert scrape().value(name, **of(runs[0])) == 3


def of(run: Run) -> dict[str, str]:
    return {"task_type": run.task_type, "combo": bytes(run.combo.digest).hex()[:12]}


def test_tenants_are_summed_unless_they_are_asked_for(engine: Bench) -> None:
    recovery(engine.start(steps=1), 1, "recovered")
    make_tenant("elsewhere")
    summed, apart = scrape(), scrape(by_tenant=True)
    assert "tenant" not in {label for name in summed.values for label in summed.labels(name)}
    ended = {"ended": "recovered"}
    assert summed.value("kedge_recoveries", **ended) == 1
    assert apart.value("kedge_recoveries", **ended, tenant=engine.tenant.slug) == 1
    assert len(apart.values["kedge_recoveries"]) == 1
    assert apart.labels("kedge_runs_due") == set()


@pytest.mark.django_db(transaction=True)
def test_the_workers_user_counts_every_tenant_and_the_web_user_none(
    engine: Bench, granted: None, web_user: None
) -> None:
    recovery(engine.start(steps=1), 1, "recovered")
    with as_worker():
        seen = scrape()
    assert seen.total("kedge_scrape_part_ok") == len(PARTS)
    assert seen.total("kedge_recoveries") == 1
    with as_web():
        assert scrape().total("kedge_recoveries") == 0
