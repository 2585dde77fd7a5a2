"""Two people: what the rules demand is proposed first, and counts when a second agrees on the same."""

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction
from django.db.models.functions import Now

from checkpoints.errors import IllegalMoveError
from checkpoints.models import Case, ProposedVerdict, Run, Verdict
from reconciliation import ledger, verdicts
from reconciliation.errors import VerdictRefusedError
from reconciliation.models import Action, Attempt
from reconciliation.verdicts import Given, Seen, second
from tenants.models import AuditRow, User
from tests.engine.faketools import effects
from tests.engine.turns import Bench
from tests.people import eve
from tests.reconciliation.deskwork import unknown_mail
from tests.reconciliation.ready import HAPPENED
from tests.reconciliation.verdicts.twopeople import TWO, demand

OFF = Given("write_off", "Nobody knows.")


@pytest.fixture
def case(engine: Bench, monkeypatch: pytest.MonkeyPatch) -> Case:
    demand(monkeypatch, engine.tenant, TWO)
    return unknown_mail(engine)


@pytest.fixture
def colleague(engine: Bench) -> User:
    return eve(engine.tenant)


def propose(engine: Bench, case: Case, given: Given = OFF) -> ProposedVerdict:
    made = verdicts.give(case.pk, given, user=engine.starter)
    assert isinstance(made, ProposedVerdict)
    return made


def agree(proposal: ProposedVerdict, user: User, terms: str = "") -> Verdict:
    return verdicts.agree(proposal.pk, terms=terms or proposal.terms, user=user)


def test_what_one_person_says_is_only_proposed(engine: Bench, case: Case) -> None:
    was = Action.objects.values().get()
    proposal = propose(engine, case)
    assert (proposal.proposed_by, proposal.demanded_by) == (engine.starter, ["two-of-us"])
    assert Action.objects.values().get() == was
    assert Run.objects.get().status == "held"
    assert not Verdict.objects.exists()
    assert AuditRow.objects.filter(verb="proposed verdict").exists()


def test_it_counts_when_a_second_agrees(engine: Bench, case: Case, colleague: User) -> None:
    verdict = agree(propose(engine, case), colleague)
    assert (verdict.given_by, verdict.agreed_by, verdict.people) == (engine.starter, colleague, 2)
    assert Action.objects.get().outcome == "written_off"
    engine.turn()
    assert Run.objects.get().status == "succeeded"
    assert ProposedVerdict.objects.get().ended == "agreed"


def test_nobody_agrees_with_themselves(engine: Bench, case: Case) -> None:
    proposal = propose(engine, case)
    with pytest.raises(VerdictRefusedError, match="you proposed it yourself"):
        agree(proposal, engine.starter)
    assert not Verdict.objects.exists()


def test_who_may_not_decide_here_any_more_does_not_count(
    engine: Bench, case: Case, colleague: User
) -> None:
    proposal = propose(engine, case)
    User.objects.filter(pk=engine.starter.pk).update(is_active=False)
    with pytest.raises(VerdictRefusedError, match="may not decide cases here any more"):
        agree(proposal, colleague)
    with pytest.raises(VerdictRefusedError, match="may not decide"):
        agree(proposal, engine.approver)  # who approves effects, and decides no cases


def test_what_was_shown_is_what_is_agreed_on(engine: Bench, case: Case, colleague: User) -> None:
    proposal = propose(engine, case)
    with pytest.raises(VerdictRefusedError, match="moved since"):
        agree(proposal, colleague, terms="0" * 64)
    assert not Verdict.objects.exists()
    assert ProposedVerdict.objects.get().ended == "outdated"


def test_a_case_that_moved_in_between_is_not_agreed_on(
    engine: Bench, case: Case, colleague: User
) -> None:
    proposal = propose(engine, case)
    attempt = Attempt.objects.select_related("action").get()
    ledger.record_answer(attempt, HAPPENED, fence=attempt.fence)
    with pytest.raises(VerdictRefusedError, match="moved since"):
        agree(proposal, colleague)
    assert Action.objects.get().outcome == "happened"
    assert not Verdict.objects.exists()


def test_while_something_is_proposed_nobody_decides_beside_it(
    engine: Bench, case: Case, colleague: User
) -> None:
    propose(engine, case)
    with pytest.raises(VerdictRefusedError, match="Ada has proposed a verdict"):
        verdicts.give(case.pk, Given("look_up_again", "x"), user=colleague)
    with (
        pytest.raises(IntegrityError, match="no_verdict_beside_a_proposal"),
        transaction.atomic(),
    ):
        Verdict.objects.create(case=case, verdict="write_off", reason="x", given_by=colleague)


def test_a_no_needs_a_reason_and_ones_own_is_withdrawn(
    engine: Bench, case: Case, colleague: User
) -> None:
    proposal = propose(engine, case)
    with pytest.raises(VerdictRefusedError, match="say why you do not agree"):
        verdicts.decline(proposal.pk, reason=" ", user=colleague)
    assert verdicts.decline(proposal.pk, reason="Look.", user=colleague).ended == "declined"
    again = propose(engine, case)
    assert verdicts.decline(again.pk, reason="", user=engine.starter).ended == "withdrawn"
    with pytest.raises(IllegalMoveError, match="was withdrawn already"):
        agree(again, colleague)
    assert Run.objects.get().status == "held"


def test_a_plan_brings_its_own_second_person(engine: Bench, case: Case, colleague: User) -> None:
    with pytest.raises(VerdictRefusedError, match="a second person"):
        verdicts.give(case.pk, OFF, user=engine.starter, second_person=engine.starter)
    made = verdicts.give(case.pk, OFF, user=engine.starter, second_person=colleague)
    assert isinstance(made, Verdict)
    assert (made.people, made.agreed_by, made.proposal) == (2, colleague, None)


@pytest.mark.parametrize(("who", "people"), [("starter", 2), ("colleague", 1)])
def test_the_starter_is_not_alone_where_the_rules_say_so(
    engine: Bench, monkeypatch: pytest.MonkeyPatch, colleague: User, who: str, people: int
) -> None:
    demand(monkeypatch, engine.tenant, {"name": "not-their-own", "not_starter_alone": True})
    case = unknown_mail(engine)
    user = engine.starter if who == "starter" else colleague
    assert second.demand(case, "write_off", user).people == people


def test_two_who_agree_on_undoing_start_one_run(engine: Bench, case: Case, colleague: User) -> None:
    seen = Given("compensate", "Wrong customer.", "In their log.", seen=Seen(reference="R-7"))
    proposal = propose(engine, case, seen)
    assert Run.objects.filter(task_type="undo").count() == 0
    verdict = agree(proposal, colleague)
    undoing = Run.objects.get(task_type="undo")
    assert verdict.detail == {"seen": {"reference": "R-7"}, "undone_by": str(undoing.pk)}
    assert undoing.started_by == engine.starter
    assert len(effects()) == 1  # what had been sent before


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"reason": "Other."}, "what_was_proposed_never_changes"),
        ({"terms": "f" * 64}, "what_was_proposed_never_changes"),
        ({"ended": "agreed", "ended_at": Now(), "self": True}, "two_people_agree_on_a_verdict"),
        ({"ended": "agreed"}, "an_ended_proposal_says_how_when_and_by_whom"),
    ],
)
def test_the_database_keeps_what_was_proposed(
    engine: Bench, case: Case, changes: dict[str, object], rule: str
) -> None:
    proposal = propose(engine, case)
    if changes.pop("self", False):
        changes = {**changes, "ended_by": engine.starter}
    with pytest.raises(IntegrityError, match=rule), transaction.atomic():
        ProposedVerdict.objects.filter(pk=proposal.pk).update(**changes)


@pytest.mark.parametrize(
    ("people", "both", "rule"),
    [
        (2, False, "a_verdict_has_as_many_people_as_the_rules_demand"),
        (1, True, "a_verdict_has_as_many_people_as_the_rules_demand"),
        (2, True, "nobody_agrees_with_themselves"),
    ],
)
def test_the_database_counts_the_people(
    engine: Bench, case: Case, people: int, both: bool, rule: str
) -> None:
    second_person = engine.starter if both else None
    if people == 1:
        second_person = engine.approver
    with pytest.raises(IntegrityError, match=rule), transaction.atomic():
        Verdict.objects.create(
            case=case, verdict="write_off", reason="x", given_by=engine.starter,
            people=people, agreed_by=second_person,
        )  # fmt: skip


def test_a_verdict_of_two_is_word_for_word_what_was_agreed_on(
    engine: Bench, case: Case, colleague: User
) -> None:
    proposal = propose(engine, case)
    ProposedVerdict.objects.filter(pk=proposal.pk).update(
        ended="agreed", ended_at=Now() + timedelta(0), ended_by=colleague
    )
    with (
        pytest.raises(IntegrityError, match="two_people_agree_on_the_same_verdict"),
        transaction.atomic(),
    ):
        Verdict.objects.create(
            case=case, verdict="it_happened", reason=OFF.reason, given_by=engine.starter,
            people=2, agreed_by=colleague, proposal=proposal,
        )  # fmt: skip
