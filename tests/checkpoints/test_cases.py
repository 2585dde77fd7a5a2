"""Cases: the human queue."""

from dataclasses import replace

import pytest
from django.db import transaction
from django.db.models.functions import Now

from canonical.redaction import ours
from checkpoints import cases, recoveries, runs
from checkpoints.cases import Ruling, Trouble
from checkpoints.commits import Lease
from checkpoints.errors import IllegalMoveError
from checkpoints.models import Case, Event, Recovery, Run, Verdict
from tenants.actors import Actor
from tenants.models import AuditRow
from tests.checkpoints.records import judge_now, refused
from tests.engine.turns import Bench

WORKER = Actor.machine("worker")
TROUBLE = Trouble("crash_loop", "It died.", {"error": ours("OOM")})
GO_ON = Ruling("go_on", "the machine was too small", evidence="ticket 7")


@pytest.fixture
def lease(engine: Bench) -> Lease:
    engine.start()
    return engine.acquire()


@pytest.fixture
def case(lease: Lease) -> Case:
    runs.hold(lease, TROUBLE, actor=WORKER)
    return Case.objects.get()


def test_a_case_says_what_a_page_shows(case: Case, engine: Bench) -> None:
    assert (case.tenant, case.kind, case.sentence) == (engine.tenant, "crash_loop", "It died.")
    assert (case.facts, case.action_id) == ({"error": "OOM"}, None)
    event = Event.objects.filter(run=case.run).latest("id")
    assert (event.what, event.detail) == ("held", {"case": str(case.id), "kind": "crash_loop"})


def test_the_same_trouble_at_the_same_place_has_one_fingerprint(engine: Bench) -> None:
    engine.start()
    engine.start()
    other = replace(TROUBLE, facts={"error": ours("disk full")})
    engine.start()
    for trouble in (TROUBLE, TROUBLE, other):
        runs.hold(engine.acquire(), trouble, actor=WORKER)
    prints = list(Case.objects.order_by("id").values_list("fingerprint", flat=True))
    assert prints[0] == prints[1] != prints[2]


def test_held_and_an_open_case_come_in_one_transaction(case: Case) -> None:
    judge_now()
    run = Run.objects.get()
    assert (run.status, run.reason, run.sentence) == ("held", "crash_loop", "It died.")
    assert (run.holder, run.lease_until, run.due_at) == (None, None, None)


def test_the_database_refuses_a_held_run_without_a_case(lease: Lease) -> None:
    with refused("is held without an open case"):
        Run.objects.update(status="held", reason="crash_loop", holder=None, lease_until=None)


def test_the_database_refuses_an_open_case_of_a_run_that_is_not_held(lease: Lease) -> None:
    with refused("has an open case and is not held"):
        cases.open_case(lease.tenant_id, lease.run_id, TROUBLE, actor=WORKER)


def test_the_database_refuses_to_release_a_run_whose_case_is_open(case: Case) -> None:
    judge_now()
    with refused("has an open case and is not held"):
        runs.release_hold(case.run_id, sentence="on")


def test_the_database_refuses_to_decide_a_case_of_a_run_that_stays_held(case: Case) -> None:
    judge_now()
    with refused("is held without an open case"):
        Case.objects.update(decided_at=Now())


def test_the_database_refuses_a_second_open_case(case: Case) -> None:
    with refused("one_open_case_per_run"):
        Case.objects.create(tenant=case.tenant, run=case.run, kind="crash_loop", sentence="Again.")


def test_the_database_refuses_an_unknown_kind(case: Case) -> None:
    with refused("case_kind_is_known"):
        Case.objects.update(kind="mystery")


@pytest.mark.parametrize("kind", ["duplicate_effect", "contradicted"])
def test_late_evidence_may_stand_open_beside_a_run_that_works(lease: Lease, kind: str) -> None:
    trouble = Trouble(kind, "It is there twice.")
    cases.open_case(lease.tenant_id, lease.run_id, trouble, actor=WORKER)
    judge_now()
    assert Run.objects.get().status == "running"


def test_a_run_whose_case_stands_open_already_is_held_by_that_case(lease: Lease) -> None:
    first = Trouble("duplicate_effect", "It is there twice.")
    standing = cases.open_case(lease.tenant_id, lease.run_id, first, actor=WORKER)
    runs.hold(lease, TROUBLE, actor=WORKER)
    judge_now()
    assert Case.objects.get() == standing
    assert (Run.objects.get().status, Run.objects.get().sentence) == ("held", "It died.")
    event = Event.objects.filter(run_id=lease.run_id).latest("id")
    assert event.detail == {
        "case": str(standing.id),
        "kind": "crash_loop",
        "sentence": "It died.",
    }


def test_a_verdict_is_recorded_with_its_reason_and_evidence(case: Case, engine: Bench) -> None:
    give(case, engine)
    verdict = Verdict.objects.get()
    assert (verdict.verdict, verdict.reason, verdict.evidence) == (
        "go_on",
        "the machine was too small",
        "ticket 7",
    )
    assert (verdict.given_by, verdict.case) == (engine.approver, case)
    case.refresh_from_db()
    assert case.decided_at is not None
    assert case.closed_at is None
    row = AuditRow.objects.get(verb="gave verdict")
    assert (row.actor_id, row.detail["reason"]) == (str(engine.approver.pk), GO_ON.reason)


def test_a_verdict_ends_the_recovery_by_a_person(case: Case, engine: Bench) -> None:
    recoveries.begin(case.run_id, fence=1, why="killed")
    give(case, engine)
    assert Recovery.objects.get().ended == "by_person"


@pytest.mark.parametrize("reason", ["", "  \n"])
def test_a_verdict_needs_a_reason(case: Case, engine: Bench, reason: str) -> None:
    with pytest.raises(IllegalMoveError, match="say why"):
        give(case, engine, replace(GO_ON, reason=reason))
    assert not Verdict.objects.exists()


def test_a_decided_case_tells_by_whom(case: Case, engine: Bench) -> None:
    give(case, engine)
    with pytest.raises(IllegalMoveError, match=r"decided already by Dee \(go_on\)"):
        give(case, engine)
    assert Verdict.objects.count() == 1


def test_a_decided_case_closes_when_the_run_got_past_the_trouble(case: Case, engine: Bench) -> None:
    cases.close_proven(case.run_id, because="checkpoint 1 was committed")
    assert Case.objects.get().closed_at is None
    give(case, engine)
    cases.close_proven(case.run_id, because="checkpoint 1 was committed")
    closed = Case.objects.get()
    assert closed.closed_at is not None
    assert closed.closed_because == "checkpoint 1 was committed"


def test_the_database_refuses_to_change_or_delete_a_verdict(case: Case, engine: Bench) -> None:
    give(case, engine)
    judge_now()
    with refused("UPDATE of checkpoints_verdict refused"):
        Verdict.objects.update(reason="another")
    with refused("DELETE of checkpoints_verdict refused"):
        Verdict.objects.all().delete()


def test_the_database_refuses_a_verdict_without_a_reason(case: Case, engine: Bench) -> None:
    with refused("a_verdict_has_a_reason"):
        Verdict.objects.create(case=case, verdict="go_on", reason="", given_by=engine.approver)


def give(case: Case, engine: Bench, ruling: Ruling = GO_ON) -> None:
    with transaction.atomic():
        _, locked = cases.locked(case.id)
        cases.decide(locked, ruling, user=engine.approver)
        runs.release_hold(case.run_id, sentence="Goes on by a verdict.")
