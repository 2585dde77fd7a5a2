"""Which verdicts a case can get, and when one is refused. What follows stands in tests/engine."""

from collections.abc import Callable

import pytest

from checkpoints import runs, states
from checkpoints.cases import Trouble
from checkpoints.models import Case, Run, Verdict
from reconciliation import ledger, verdicts
from reconciliation.errors import VerdictRefusedError
from reconciliation.models import Action, Attempt
from reconciliation.verdicts import Given
from tenants.actors import Actor
from tests.checkpoints.records import by_force
from tests.engine.turns import Bench
from tests.execution.runs import PAST, full
from tests.reconciliation.ready import Ready, ready

WORKER = Actor.machine("worker")
Give = Callable[..., Verdict]


@pytest.fixture
def it(engine: Bench) -> Ready:
    return ready(engine)


def held(it: Ready, kind: str) -> Case:
    """Hold the run for this kind of trouble, about its action."""
    trouble = Trouble(kind, "Something.", {}, it.action.id)
    runs.hold(it.lease, trouble, actor=WORKER)
    return Case.objects.get(decided_at=None)


def give(engine: Bench, case: Case, verdict: str, **more: object) -> Verdict:
    given = Given(verdict, "because", **more)  # type: ignore[arg-type]
    made = verdicts.give(case.id, given, user=engine.approver)
    assert isinstance(made, Verdict)
    return made


@pytest.mark.parametrize("kind", states.CASE_KINDS)
def test_every_kind_of_case_has_a_verdict_that_lets_the_run_go_on(it: Ready, kind: str) -> None:
    names = [choice.verdict for choice in verdicts.choices(held(it, kind))]
    assert names
    assert len(names) == len(set(names))
    assert set(names) <= set(states.VERDICTS)


@pytest.mark.parametrize(("tool", "offered"), [("fake.nothing", False), ("fake.look_up", True)])
def test_a_tool_that_cannot_be_asked_is_not_offered_for_asking(
    engine: Bench, tool: str, offered: bool
) -> None:
    it = ready(engine, tool)
    it.dispatch()
    names = [choice.verdict for choice in verdicts.choices(held(it, states.OUTCOME_UNKNOWN))]
    assert (verdicts.LOOK_UP_AGAIN in names) == offered


def test_a_verdict_of_another_kind_of_case_is_refused(engine: Bench, it: Ready) -> None:
    case = held(it, states.UNMIGRATABLE)
    for verdict in ("it_happened", "go_on_from", "nonsense"):
        with pytest.raises(VerdictRefusedError, match=f"has no verdict '{verdict}'"):
            give(engine, case, verdict, evidence="seen", seq=1)
    assert not Verdict.objects.exists()
    assert full(it.run).status == "held"


@pytest.mark.parametrize("verdict", ["it_happened", "send_again", "it_did_not"])
def test_what_is_said_of_the_world_needs_evidence(engine: Bench, it: Ready, verdict: str) -> None:
    it.dispatch()
    case = held(it, states.OUTCOME_UNKNOWN)
    for evidence in ("", "  "):
        with pytest.raises(VerdictRefusedError, match="needs evidence"):
            give(engine, case, verdict, evidence=evidence)


@pytest.mark.parametrize("seq", [None, -1, 7, 10**9])
def test_going_back_needs_a_checkpoint_that_is_there(
    engine: Bench, it: Ready, seq: int | None
) -> None:
    case = held(it, states.CRASH_LOOP)
    with pytest.raises(VerdictRefusedError, match=r"name the checkpoint|name one of them"):
        give(engine, case, "go_on_from", seq=seq)
    assert full(it.run).status == "held"


def test_rule_12_nobody_goes_back_past_an_effect_in_flight(engine: Bench, it: Ready) -> None:
    it.dispatch()
    case = held(it, states.CRASH_LOOP)
    with pytest.raises(VerdictRefusedError, match="an effect is not settled yet"):
        give(engine, case, "go_on_from", seq=1)


@pytest.mark.parametrize("verdict", ["send_again", "it_did_not"])
def test_rule_6_it_did_not_is_refused_until_the_window_has_closed(
    engine: Bench, it: Ready, verdict: str
) -> None:
    it.dispatch()
    case = held(it, states.OUTCOME_UNKNOWN)
    with pytest.raises(VerdictRefusedError, match="it may still arrive until"):
        give(engine, case, verdict, evidence="not there")
    with by_force():
        Attempt.objects.update(deadline_at=PAST)
    give(engine, case, verdict, evidence="not there")
    settled = Action.objects.get().stands == "settled"
    assert settled == (verdict == "it_did_not")
    assert Attempt.objects.get().outcome == "absent"


def test_what_became_known_meanwhile_cannot_be_decided_otherwise(engine: Bench, it: Ready) -> None:
    attempt = it.dispatch()
    case = held(it, states.OUTCOME_UNKNOWN)
    it.answer(attempt)
    for verdict in ("it_happened", "write_off", "it_did_not", "send_again"):
        with pytest.raises(VerdictRefusedError, match="the outcome is known by now"):
            give(engine, case, verdict, evidence="seen")
    assert Action.objects.get().outcome == "happened"


def test_rule_6_no_verdict_sends_anything(engine: Bench, it: Ready) -> None:
    for kind in (states.CRASH_LOOP, states.WORLD_CHANGED):
        case = held(it, kind)
        give(engine, case, "try_again")
        assert not Attempt.objects.exists()
        it = Ready(engine.acquire(), it.action)


def test_a_refused_verdict_leaves_no_trace(engine: Bench, it: Ready) -> None:
    it.dispatch()
    case = held(it, states.OUTCOME_UNKNOWN)
    ledger.note_unknown(it.action.id)
    was = Run.objects.values().get(), Case.objects.values().get()
    with pytest.raises(VerdictRefusedError):
        give(engine, case, "send_again", evidence="not there")
    assert (Run.objects.values().get(), Case.objects.values().get()) == was


def test_what_a_tool_told_of_can_only_stand_or_be_undone(engine: Bench, it: Ready) -> None:
    it.answer(it.dispatch())
    offered = {choice.verdict for choice in verdicts.choices(held(it, states.CONTRADICTED))}
    assert offered == {"compensate", "it_stands", "cancel"}
