"""What stands now is counted as it stands in the rows."""

from datetime import timedelta

import pytest
from django.utils import timezone
from pytest_django import Settings

from approvals.models import ApprovalRequest
from checkpoints import states, stops
from checkpoints.models import Run, Stop
from checkpoints.scopes import Scope
from config.metrics import catalog, collecting, installation, recovering, standing
from config.metrics.tally import Tally
from execution.models import Process
from reconciliation.behind.models import Divergence
from reconciliation.doors.models import Door
from tenants.actors import Actor
from tests.config.metrics.scraping import scrape
from tests.engine.turns import Bench

pytestmark = pytest.mark.django_db(transaction=True)


def test_runs_are_counted_by_status_and_reason_and_due_ones_by_age(engine: Bench) -> None:
    engine.start(steps=1)
    waiting = engine.start(steps=1, tool="fake.void", what="one")
    Run.objects.filter(pk=waiting.pk).update(due_at=timezone.now() - timedelta(minutes=9))
    found = scrape()
    assert found.value("kedge_runs", status="queued", reason="started") == 2
    assert found.value("kedge_runs", status="held", reason="crash_loop") == 0
    assert found.total("kedge_runs_due") == 2
    assert 539 < found.total("kedge_runs_due_oldest_seconds") < 5400
    assert set(found.values["kedge_runs"]) == {
        frozenset({("status", status), ("reason", reason)})
        for status, reasons in states.REASONS.items()
        for reason in reasons
    }


def test_questions_are_counted_by_age_and_what_ran_out_is_none(engine: Bench) -> None:
    for what in ("one", "two", "three"):
        engine.start(steps=1, tool="fake.void", what=what)
        engine.turn()
    asked = list(ApprovalRequest.objects.order_by("id").values_list("pk", flat=True))
    assert scrape().value("kedge_approvals_pending", age="under_5m") == 3
    tally = Tally(None)
    for seconds in (1, 299, 300, 3_599, 3_600, 86_399, 86_400):
        from_age = standing._age(seconds)
        tally.add("kedge_approvals_pending", 1, age=from_age)
    counted = {s.labels["age"]: s.value for family in tally.families() for s in family.samples}
    assert counted == {"under_5m": 2, "5m_to_1h": 2, "1h_to_1d": 2, "over_1d": 1}
    assert len(asked) == 3


def test_a_run_whose_effect_nobody_knows_of_is_held_and_counted(engine: Bench) -> None:
    run = engine.start(steps=1, tool="fake.nothing", what="one")
    engine.turn()
    engine.decide(run)
    engine.fault("drop_answer")
    engine.turn()
    found = scrape()
    assert found.total("kedge_outcomes_unknown") == 1
    assert found.value("kedge_held_runs", kind="outcome_unknown") == 1
    assert found.value("kedge_runs", status="held", reason="outcome_unknown") == 1
    assert 0 < found.total("kedge_held_oldest_seconds") < 600


def test_what_is_stopped_and_closed_is_counted(engine: Bench) -> None:
    actor = Actor.person(engine.starter)
    stops.stop(Scope(engine.tenant), "effects", why="because", actor=actor)
    Door.objects.create(
        tenant=engine.tenant,
        tool="t",
        closed_at=timezone.now(),
        closed_by="x",
        why="silent",
        next_probe_at=timezone.now(),
    )
    Divergence.objects.create(stop=Stop.objects.get(), noticed_by="x")
    found = scrape()
    assert found.value("kedge_stops_in_force", lock="effects") == 1
    assert found.value("kedge_stops_in_force", lock="new_runs") == 0
    assert found.value("kedge_doors_closed", by="itself") == 1
    assert found.total("kedge_record_diverged") == 1


def test_processes_are_alive_or_silent_and_the_sweeper_says_when(engine: Bench) -> None:
    assert scrape().total("kedge_sweeper_last_round_seconds") == installation.NEVER
    long_ago = timezone.now() - timedelta(minutes=10)
    Process.objects.create(name="w1", kind="worker", pid=1)
    Process.objects.create(name="w2", kind="worker", pid=2, seen_at=long_ago)
    Process.objects.create(name="s", kind="sweeper", pid=3, facts={"took_ms": 250})
    found = scrape()
    assert found.value("kedge_processes_alive", kind="worker") == 1
    assert found.value("kedge_processes_silent", kind="worker") == 1
    assert found.total("kedge_sweeper_round_duration_seconds") == 0.25
    assert 0 <= found.total("kedge_sweeper_last_round_seconds") < 60


def test_a_combo_is_named_by_its_task_type_and_the_beginning_of_its_digest(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = engine.start(steps=1)
    labels = {
        "task_type": "steps",
        "combo": bytes(run.combo.digest).hex()[:12],
        "status": "queued",
    }
    assert scrape().value("kedge_combo_runs", **labels) == 1
    monkeypatch.setattr(catalog, "COMBOS", 0)
    assert scrape().value(
        "kedge_combo_runs", task_type="", combo="others", status="queued"
    ) == 1  # fmt: skip


def test_a_part_that_cannot_be_counted_is_left_out_and_said(
    engine: Bench, settings: Settings, tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.REDIS_URL = f"unix://{tmp_path}/nobody.sock"
    slow = "SELECT 1, 1, 'open', NULL, NULL, extract(epoch FROM now()) FROM pg_sleep(2)"
    monkeypatch.setattr(recovering, "RECOVERIES", slow)
    monkeypatch.setattr(collecting, "LIMITS", "SET LOCAL statement_timeout = '50ms'")
    found = scrape()
    failed = {
        dict(key)["part"] for key, ok in found.values["kedge_scrape_part_ok"].items() if not ok
    }
    assert failed == {"recoveries", "wakeups"}
    assert "kedge_recoveries" not in found.values
    assert "kedge_runs" in found.values


def test_a_scrape_changes_nothing(engine: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    parts = {"writes": lambda _: Process.objects.all().delete()}
    monkeypatch.setattr(collecting, "PARTS", parts)
    Process.objects.create(name="w1", kind="worker", pid=1)
    assert scrape().value("kedge_scrape_part_ok", part="writes") == 0
    assert Process.objects.count() == 1


def test_more_tenants_than_are_shown_are_one(engine: Bench) -> None:
    tally = Tally({1: "one"})
    for tenant in (1, 2, 3):
        tally.add("kedge_outcomes_unknown", 1, tenant)
    (family,) = tally.families()
    assert {s.labels["tenant"]: s.value for s in family.samples} == {"one": 1, "(others)": 2}


def test_a_label_that_the_catalogue_lacks_is_refused() -> None:
    with pytest.raises(KeyError):
        Tally(None).add("kedge_runs", 1, status="queued")
    with pytest.raises(KeyError):
        Tally(None).add("kedge_unheard_of", 1)
