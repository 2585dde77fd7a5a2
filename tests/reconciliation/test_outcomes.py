"""Finding out: what became of an attempt that ended without an answer that counts."""

from datetime import timedelta

import pytest

from approvals import clock
from checkpoints import states as reasons
from checkpoints.timers import boot_id, boot_seconds
from reconciliation import outcomes, states
from reconciliation.calls import call_for, tool_of
from reconciliation.models import Attempt, LookUp, Receipt
from reconciliation.outcomes import Known, Later, NeedsPerson
from reconciliation.tools import Absent, Call, Capabilities, Found, Keyed
from tests.checkpoints.records import by_force
from tests.engine.faketools import effects
from tests.engine.turns import Bench
from tests.reconciliation.oddtools import Late, put
from tests.reconciliation.ready import Ready, ready, reconcile


def close_the_window(attempt: Attempt, *, own_clock: bool = True) -> None:
    """Let the time of the attempt be over, by the database's clock and by this machine's."""
    with by_force():
        Attempt.objects.update(deadline_at=clock.now() - timedelta(hours=1))
        if own_clock:
            LookUp.objects.update(boot_seconds=0)


def test_what_is_settled_is_known_and_nobody_is_asked(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    it, tool = ready(engine), put(monkeypatch, "fake.void")
    it.answer(it.dispatch())
    assert reconcile(it) == Known()
    assert tool.asked == []


@pytest.mark.parametrize("tool", ["fake.void", "fake.look_up"])
def test_an_effect_that_is_found_settles_the_action(engine: Bench, tool: str) -> None:
    it = ready(engine, tool)
    arrived(it)
    assert reconcile(it) == Known()
    assert (it.stored().outcome, it.stored().because) == ("happened", "looked_up")
    assert Receipt.objects.get().source == "look_up"
    assert LookUp.objects.get().answer == "found"


def test_what_may_be_void_is_absent_at_once_and_may_be_sent_again(engine: Bench) -> None:
    """A late arrival and a further attempt compete for one place."""
    it = ready(engine)
    it.dispatch()
    assert reconcile(it) == Known()
    assert Attempt.objects.get().outcome == "absent"
    assert (it.stored().stands, it.stored().outcome) == ("dispatched", "unknown")
    assert it.dispatch().number == 2


def test_rule_1_a_void_makes_did_not_happen_true(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    it, tool, late = ready(engine), put(monkeypatch, "fake.void"), Late()
    attempt = it.dispatch()
    with pytest.raises(TimeoutError):
        late.hold(call_for(it.action, attempt))
    assert reconcile(it, void=True) == Known()
    assert (it.stored().outcome, it.stored().because) == ("did_not_happen", "voided")
    assert Attempt.objects.get().outcome == "voided"
    late.arrive(tool)
    assert effects() == []


def test_rule_1_a_void_that_comes_second_finds_the_effect(engine: Bench) -> None:
    it = ready(engine)
    arrived(it)
    assert reconcile(it, void=True) == Known()
    assert it.stored().outcome == "happened"


def test_rule_1_what_is_only_absent_is_voided_too(engine: Bench) -> None:
    it = ready(engine)
    it.end(it.dispatch())
    assert reconcile(it, void=True) == Known()
    assert (it.stored().outcome, it.stored().because) == ("did_not_happen", "voided")


def test_rule_9_a_look_up_only_tool_waits_for_its_window(engine: Bench) -> None:
    it = ready(engine, "fake.look_up")
    attempt = it.dispatch()
    finding = reconcile(it)
    assert isinstance(finding, Later)
    assert finding.reason == reasons.FOR_SETTLING
    assert finding.at > outcomes.window_end(attempt)
    assert finding.sentence.startswith("Settling until ")
    assert Attempt.objects.get().outcome == ""
    assert it.stored().outcome == "unknown"


def test_rule_8_absent_is_believed_when_both_clocks_agree(engine: Bench) -> None:
    it = ready(engine, "fake.look_up")
    attempt = it.dispatch()
    reconcile(it)
    close_the_window(attempt)
    assert reconcile(it) == Known()
    assert Attempt.objects.get().outcome == "absent"


def test_rule_8_a_database_clock_that_jumps_closes_no_window(engine: Bench) -> None:
    it = ready(engine, "fake.look_up")
    attempt = it.dispatch()
    reconcile(it)
    close_the_window(attempt, own_clock=False)
    finding = reconcile(it)
    assert isinstance(finding, Later)
    assert finding.at > clock.now()
    assert Attempt.objects.get().outcome == ""


def test_rule_8_a_machine_whose_clock_jumps_closes_no_window(engine: Bench) -> None:
    """A machine that was paused, or whose boot clock ran ahead of the database's."""
    it = ready(engine, "fake.look_up")
    it.dispatch()
    reconcile(it)
    with by_force():
        LookUp.objects.update(boot_seconds=0)
    assert isinstance(reconcile(it), Later)
    assert Attempt.objects.get().outcome == ""


def test_rule_8_a_machine_set_back_to_a_snapshot_of_itself_counts_anew(engine: Bench) -> None:
    """Its boot is the same and its clock is not there yet: it must not wait until it is."""
    it = ready(engine, "fake.look_up")
    attempt = it.dispatch()
    ahead = boot_seconds() + 86_400
    LookUp.objects.create(attempt=attempt, answer="absent", boot_id=boot_id(), boot_seconds=ahead)
    close_the_window(attempt, own_clock=False)
    later = reconcile(it)
    assert isinstance(later, Later)
    assert later.at - clock.now() < timedelta(minutes=1)


def test_rule_8_another_boot_begins_to_count_anew(engine: Bench) -> None:
    it = ready(engine, "fake.look_up")
    attempt = it.dispatch()
    LookUp.objects.create(attempt=attempt, answer="absent", boot_id="elsewhere", boot_seconds=0)
    close_the_window(attempt, own_clock=False)
    assert isinstance(reconcile(it), Later)
    assert LookUp.objects.filter(boot_id=boot_id()).exists()


def test_what_is_absent_within_the_window_is_not_believed_for_an_answer_that_took_longer(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The effect may have arrived between the question and the end of the window."""
    it, tool = ready(engine, "fake.look_up"), put(monkeypatch, "fake.look_up")
    attempt = it.dispatch()
    reconcile(it)
    close_the_window(attempt, own_clock=False)

    def slowly(_: Call) -> Absent:
        with by_force():
            LookUp.objects.update(boot_seconds=0)
        return Absent()

    tool.looking_up = slowly
    assert isinstance(reconcile(it), Later)
    assert Attempt.objects.get().outcome == ""


def test_rule_10_a_key_that_was_forgotten_while_it_waited_to_be_sent_again_needs_a_person(
    engine: Bench,
) -> None:
    """It may have waited for a stop or a door since it was found that it may be sent again."""
    it = ready(engine, "fake.keyed")
    it.dispatch()
    assert reconcile(it) == Known()
    assert reconcile(it) == Known()
    Attempt.objects.update(dispatched_at=clock.now() - timedelta(hours=2))
    finding = reconcile(it)
    assert isinstance(finding, NeedsPerson)
    assert Attempt.objects.get().outcome == ""


def test_an_effect_that_arrives_within_the_window_is_found(engine: Bench) -> None:
    it = ready(engine, "fake.look_up")
    attempt = it.dispatch()
    assert isinstance(reconcile(it), Later)
    arrive(it, attempt)
    assert reconcile(it) == Known()
    assert it.stored().outcome == "happened"


def test_what_was_never_called_needs_no_void(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    it, tool = ready(engine), put(monkeypatch, "fake.void")
    it.end(it.dispatch(), states.ATTEMPT_NOT_CALLED)
    assert reconcile(it, void=True) == Known()
    assert tool.asked == []


def test_a_tool_that_can_do_nothing_needs_a_person_who_gets_the_facts(engine: Bench) -> None:
    it = ready(engine, "fake.nothing")
    attempt = it.dispatch()
    finding = reconcile(it)
    assert isinstance(finding, NeedsPerson)
    trouble = finding.trouble
    assert (trouble.kind, trouble.action_id) == (reasons.OUTCOME_UNKNOWN, it.action.id)
    assert trouble.facts["attempt"] == attempt.id
    assert trouble.facts["window_ends_at"] == outcomes.window_end(attempt)
    assert it.stored().outcome == "unknown"


def test_a_keyed_tool_may_be_sent_again(engine: Bench) -> None:
    it = ready(engine, "fake.keyed")
    it.dispatch()
    assert reconcile(it) == Known()
    assert Attempt.objects.get().outcome == "resent_under_key"
    assert it.dispatch().number == 2


def test_rule_10_a_key_that_does_not_lock_is_sent_again_after_the_window(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    can = Capabilities(keyed=Keyed(3600, locks_in_flight=False))
    put(monkeypatch, "fake.keyed", can)
    it = ready(engine, "fake.keyed")
    attempt = it.dispatch()
    assert isinstance(reconcile(it), Later)
    assert Attempt.objects.get().outcome == ""
    close_the_window(attempt)
    assert reconcile(it) == Known()
    assert Attempt.objects.get().outcome == "resent_under_key"


@pytest.mark.parametrize("resent", [False, True])
def test_rule_1_a_key_makes_no_no_final(engine: Bench, resent: bool) -> None:
    """Sending again is not asked for, and whether the first call arrived nobody can say."""
    it = ready(engine, "fake.keyed")
    attempt = it.dispatch()
    if resent:
        it.end(attempt, states.ATTEMPT_RESENT)
    finding = reconcile(it, void=True)
    assert isinstance(finding, NeedsPerson)
    assert it.stored().stands == "dispatched"
    assert Attempt.objects.get().outcome == ""


def test_an_effect_that_is_there_twice_needs_a_person(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    it, tool = ready(engine), put(monkeypatch, "fake.void")
    it.dispatch()
    tool.looking_up = lambda _: Found(b"{}", count=2)
    finding = reconcile(it)
    assert isinstance(finding, NeedsPerson)
    assert finding.trouble.kind == reasons.DUPLICATE_EFFECT
    assert it.stored().outcome == "happened"


def test_asking_again_and_again_changes_nothing_more(engine: Bench) -> None:
    it = ready(engine, "fake.look_up")
    it.dispatch()
    findings = [type(reconcile(it)) for _ in range(3)]
    assert findings == [Later] * 3
    assert Attempt.objects.count() == 1
    assert not Receipt.objects.exists()


def arrived(it: Ready) -> None:
    arrive(it, it.dispatch())


def arrive(it: Ready, attempt: Attempt) -> None:
    tool_of(it.action).perform(call_for(it.action, attempt))
