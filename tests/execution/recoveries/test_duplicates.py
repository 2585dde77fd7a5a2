"""Duplicate submissions: what is counted as stopped and as arrived, when, and what stands behind it."""

from datetime import datetime, timedelta
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from checkpoints.models import Case, Run
from execution.pages.figures import figures
from execution.recoveries import duplicates
from execution.recoveries.duplicates import Stretch
from execution.recoveries.wanted import Wanted
from reconciliation.evidence import counted
from reconciliation.models import Action, LookUp
from tests.checkpoints.records import by_force
from tests.engine.turns import Bench
from tests.execution.pages.visits import signed_in, words
from tests.people import make_tenant

pytestmark = pytest.mark.django_db(transaction=True)
HOUR = timedelta(hours=1)


def sent(engine: Bench, *, answered: bool) -> Run:
    """A run whose effect arrived; without its answer it is found there and not sent again."""
    run = engine.start(steps=1, tool="fake.void", what=uuid4().hex)
    engine.turn()
    engine.decide(run)
    lost = None if answered else engine.fault("drop_answer")
    engine.turn()
    if lost is not None:
        lost.unlink()
    return run


def arrived(engine: Bench, run: Run, at: datetime | None = None) -> Case:
    """Somebody noticed that an effect of this run is there twice."""
    with by_force():
        return Case.objects.create(
            tenant=engine.tenant,
            run=run,
            kind="duplicate_effect",
            sentence="The refund of order 7 is there twice",
            fingerprint=uuid4().hex,
            opened_at=at or timezone.now(),
            closed_at=timezone.now(),
        )


def settled(run: Run, at: datetime) -> None:
    with by_force():
        Action.objects.filter(run=run).update(settled_at=at)


def whole(engine: Bench, wanted: Wanted | None = None) -> Stretch:
    now = timezone.now()
    return duplicates.total(duplicates.buckets(engine.tenant, wanted or Wanted(), now=now))


def test_what_was_found_there_and_not_sent_again_was_stopped(engine: Bench) -> None:
    sent(engine, answered=True)
    found = sent(engine, answered=False)
    arrived(engine, found)
    total = whole(engine)
    assert (total.happened, total.checked, total.stopped, total.arrived) == (2, 1, 1, 1)
    assert total.submissions == 2
    numbers = counted.of(found)
    assert numbers is not None
    told = {name: getattr(total, name) for name in ("stopped", "arrived")}
    assert told == {name: numbers["duplicates"][name] for name in told}


def test_a_look_up_after_the_answer_stopped_nothing(engine: Bench) -> None:
    run = sent(engine, answered=True)
    attempt = Action.objects.get(run=run).attempts.get()
    LookUp.objects.create(attempt=attempt, answer="found", boot_id="b", boot_seconds=1.0)
    total = whole(engine)
    assert (total.checked, total.stopped) == (1, 0)


def test_both_are_counted_in_their_stretch_and_listed_behind_it(engine: Bench) -> None:
    now = timezone.now()
    first, second = sent(engine, answered=False), sent(engine, answered=False)
    settled(first, now - 5 * HOUR)
    case = arrived(engine, second, now - 9 * HOUR)
    wanted = Wanted(per="hour")
    series = duplicates.buckets(engine.tenant, wanted, now=now)
    assert len(series) == 48
    assert [(each.stopped, each.arrived) for each in series if each.submissions] == [
        *((0, 1), (1, 0), (1, 0)),
    ]
    at = [each.at for each in series if each.submissions]
    lists = [duplicates.behind(engine.tenant, Wanted("hour", at=each), now=now) for each in at]
    assert [[each.run_id for each in found.stopped] for found in lists] == [
        *([], [first.pk], [second.pk]),
    ]
    assert [[each.pk for each in found.arrived] for found in lists] == [[case.pk], [], []]
    every = duplicates.behind(engine.tenant, wanted, now=now)
    assert [each.run_id for each in every.stopped] == [second.pk, first.pk]


def test_a_filter_asks_both_for_a_task_type_and_a_combo(engine: Bench) -> None:
    run = sent(engine, answered=False)
    arrived(engine, run)
    digest = run.combo.hex
    for wanted, n in (
        (Wanted(task_type=run.task_type), 1),
        (Wanted(task_type="another"), 0),
        (Wanted(combo=digest[:6]), 1),
        (Wanted(combo="0" if digest[0] != "0" else "1"), 0),
    ):
        total = whole(engine, wanted)
        assert (total.happened, total.stopped, total.arrived) == (n, n, n)
        behind = duplicates.behind(engine.tenant, wanted, now=timezone.now())
        assert (len(behind.stopped), len(behind.arrived)) == (n, n)


def test_what_is_older_than_the_window_is_not_counted(engine: Bench) -> None:
    run, old = sent(engine, answered=False), timezone.now() - timedelta(days=31)
    settled(run, old)
    arrived(engine, run, old)
    assert whole(engine).submissions == whole(engine).happened == 0
    behind = duplicates.behind(engine.tenant, Wanted(), now=timezone.now())
    assert (list(behind.stopped), list(behind.arrived)) == ([], [])
    home = figures(engine.tenant)
    assert (home.happened, home.checked, home.stopped, home.duplicates) == (0, 0, 0, 0)


def test_another_tenants_are_not_there(engine: Bench) -> None:
    run = sent(engine, answered=False)
    arrived(engine, run)
    other, now = make_tenant("other"), timezone.now()
    assert duplicates.total(duplicates.buckets(other, Wanted(), now=now)).happened == 0
    behind = duplicates.behind(other, Wanted(), now=now)
    assert (list(behind.stopped), list(behind.arrived)) == ([], [])


def test_the_page_and_home_say_both_and_the_bar_leads_to_its_list(engine: Bench) -> None:
    run = sent(engine, answered=False)
    case = arrived(engine, run)
    client: Client = signed_in(engine.starter)
    where = reverse("recoveries", args=[engine.tenant.slug])
    page = client.get(where)
    said = "1 stopped: found there and not sent again; checked 1 of 1 effects in the world"
    assert said in words(page)
    assert said in words(client.get(reverse("home", args=[engine.tenant.slug])))
    [bar] = [bar for bar in page.context["submitted"].bars if bar.url]
    assert (bar.height, bar.part_height) == (120, 60)
    assert "1 stopped, 1 arrived" in bar.says
    listed = client.get(where + bar.url)
    assert "The refund of order 7 is there twice arrived" in words(listed)
    assert "stopped: it was there, and was not sent again" in words(listed)
    for name, each in (("case", case), ("action", Action.objects.get(run=run))):
        url = reverse(f"reconciliation:{name}", args=[engine.tenant.slug, each.pk])
        assert url in listed.content.decode()
        assert client.get(url).status_code == 200
