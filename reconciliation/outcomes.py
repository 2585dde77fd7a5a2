"""Finds out what became of an attempt that ended without an answer that counts.

By the table of DESIGN §4: look up, wait, send again under the key, or ask a person. Nothing
here sends an effect; *absent* only makes a further attempt possible.
"""

from datetime import UTC

from canonical.redaction import ours
from checkpoints import events, traces
from checkpoints import states as reasons
from checkpoints.boundaries import boundary
from reconciliation import ledger, sensitive, silences, spool, states, windows
from reconciliation.calls import call_for, capabilities, tool_of
from reconciliation.doors import noting
from reconciliation.doors import reading as doors
from reconciliation.findings import Finding, Known, Later, NeedsPerson, duplicate, unknown
from reconciliation.ledger import WORKER, Answer
from reconciliation.models import Action, Attempt
from reconciliation.sensitive import Unknown
from reconciliation.tools import Capabilities, Found, Voided
from reconciliation.windows import end as window_end
from tenants.keys import hiding, vaults

__all__ = ["Finding", "Known", "Later", "NeedsPerson", "ask", "reconcile", "window_end"]

NO_LEASE = 0  # no lease has this fence: what is heard is kept as from somebody who has none


def reconcile(action: Action, *, fence: int, void: bool = False) -> Finding:
    """Find out what the open attempt of a dispatched action did. `void`: and make *no* final.

    Idempotent, and safe to be killed anywhere: it only asks, and keeps what it hears.
    """
    with vaults.bound(action.tenant_id):
        return _reconciled(action, fence=fence, void=void)


def _reconciled(action: Action, *, fence: int, void: bool) -> Finding:
    if spool.is_waiting():
        spool.bring_in()
        action.refresh_from_db()
    attempt = action.attempts.select_related("action__tenant").filter(outcome="").first()
    if action.stands == states.SETTLED:
        return Known()
    if attempt is None:
        return _nothing_open(action, fence=fence, void=void)
    boundary("reconcile:before")
    ledger.note_unknown(action.id)
    with traces.port.finding_out(action.id, action.tool) as span:
        finding = _kept_out(attempt) or _found_out(attempt, fence=fence, void=void)
        span.say("kedge.finding", hiding.text(type(finding).__name__.lower()))
    boundary("reconcile:after")
    return finding


def _kept_out(attempt: Attempt) -> Finding | None:
    """While its door is closed a tool is asked by probes alone."""
    door = doors.of_tool(attempt.action.tenant_id, attempt.action.tool)
    if door is None or not door.keeps_out(attempt.action):
        return None
    return silences.at_door(attempt, door)


def _found_out(attempt: Attempt, *, fence: int, void: bool) -> Finding:
    action, can = attempt.action, _abilities(attempt)
    if isinstance(can, Exception):
        return silences.met(attempt, can)
    step = states.first_step(can, windows.ages(action, attempt))
    if step == states.LOOK_UP:
        return _look_up(attempt, can, fence=fence, void=void)
    if step == states.SEND_AGAIN_WITH_KEY and not void:
        ledger.end_attempt(attempt, states.ATTEMPT_RESENT)
        return Known()
    return _settling(attempt) if step == states.WAIT else NeedsPerson(unknown(action, attempt))


def ask(action: Action) -> Finding:
    """Only look up what the open attempt did, without a lease: nothing is voided or sent again.

    For who looks beside the workers; a tool that cannot be looked up needs a person.
    """
    with vaults.bound(action.tenant_id):
        attempt = action.attempts.select_related("action__tenant").filter(outcome="").first()
        if action.stands == states.SETTLED or attempt is None:
            return Known()
        can = _abilities(attempt)
        if isinstance(can, Exception):
            return silences.met(attempt, can)
        if not (can.void or can.look_up):
            return NeedsPerson(unknown(action, attempt))
        return _look_up(attempt, can, fence=NO_LEASE, void=False)


def is_key_too_old(action: Action) -> bool:
    """Whether it was to be sent again under a key that a call may outlive now.

    Asked once the deadline of that call is armed: between the reconciling and the call nothing
    bounds the time (rule 10).
    """
    last = _last_called(action)
    return last is not None and last.outcome == states.ATTEMPT_RESENT and _may_be_forgotten(last)


def note_unknown(attempt: Attempt, heard: Unknown) -> None:
    """The process that called heard no answer that counts: keep what it heard instead."""
    ledger.note_unknown(attempt.action_id)
    noting.unknown(attempt, hiding.text(heard.said), retry_after=heard.retry_after)
    events.append(
        attempt.action.run_id,
        "no answer",
        WORKER,
        action=attempt.action_id,
        attempt=attempt.number,
        said=hiding.text(heard.said).first(500),
    )


def note_wire_mismatch(action: Action, wire_digest: str) -> None:
    """What left is not what was approved: an event that no page leaves out."""
    events.append(
        action.run_id,
        "wire digest differs",
        WORKER,
        action=action.id,
        approved=hiding.text(bytes(action.parameters_digest).hex()),
        sent=hiding.text(wire_digest),
    )


def _nothing_open(action: Action, *, fence: int, void: bool) -> Finding:
    """A further attempt may be sent; a void makes *no* final instead, where the tool can."""
    last = _last_called(action)
    if last is not None and last.outcome == states.ATTEMPT_RESENT and not void:
        return _still_remembered(action, last)
    if not void or last is None:
        return Known()
    finding = _no_made_final(last, fence=fence)
    if isinstance(finding, NeedsPerson):
        # A verdict is about an attempt of which nobody knows.
        ledger.reopen_attempt(last)
    return finding


def _still_remembered(action: Action, last: Attempt) -> Finding:
    """It may be sent again under its key, unless it waited for a stop or a door for too long."""
    if not _may_be_forgotten(last):
        return Known()
    ledger.reopen_attempt(last)
    return NeedsPerson(unknown(action, last))


def _last_called(action: Action) -> Attempt | None:
    called = action.attempts.exclude(outcome=states.ATTEMPT_NOT_CALLED)
    return called.select_related("action__tenant").order_by("-number").first()


def _may_be_forgotten(last: Attempt) -> bool:
    can = tool_of(last.action).capabilities
    return states.first_step(can, windows.ages(last.action, last)) == states.ASK_A_PERSON


def _no_made_final(last: Attempt, *, fence: int) -> Finding:
    if last.outcome == states.ATTEMPT_RESENT:
        # It may be sent again under its key, which proves nothing about the first time.
        return NeedsPerson(unknown(last.action, last))
    kept_out = _kept_out(last)
    if kept_out is not None:
        return kept_out
    can = _abilities(last)
    if isinstance(can, Exception):
        return silences.met(last, can)
    return _void(last, fence=fence) if can.void else Known()


def _abilities(attempt: Attempt) -> Capabilities | Exception:
    """What the tool can do for this target, or why that cannot be told now."""
    try:
        return capabilities(attempt.action)
    except Exception as error:  # a check that cannot be completed is silence, never a yes
        return error


def _look_up(attempt: Attempt, can: Capabilities, *, fence: int, void: bool) -> Finding:
    action = attempt.action
    if can.void and void:
        return _void(attempt, fence=fence)
    # Judged before asking: what is absent within the window may arrive while the answer travels.
    is_over = windows.is_over(attempt)
    try:
        answer = tool_of(action).look_up(call_for(action, attempt))
    except Exception as silence:  # whatever it raises, it is no answer
        return silences.met(attempt, silence)
    if isinstance(answer, Found):
        return _found(attempt, answer, fence=fence)
    ledger.record_look_up(attempt, "absent", detail="", clock=windows.own_clock())
    # Whoever can void has a place that only one attempt can take: a late arrival of this one
    # and a further attempt exclude each other. Everybody else must outwait the window.
    if can.void or is_over:
        ledger.end_attempt(attempt, states.ATTEMPT_ABSENT)
        return Known()
    return _settling(attempt)


def _void(attempt: Attempt, *, fence: int) -> Finding:
    action = attempt.action
    try:
        answer = tool_of(action).void(call_for(action, attempt))
    except Exception as silence:  # whatever it raises, it is no answer
        return silences.met(attempt, silence)
    if isinstance(answer, Voided):
        evidence = hiding.text(answer.evidence.decode(errors="replace"))
        ledger.record_look_up(attempt, "voided", detail=evidence, clock=windows.own_clock())
        ledger.settle(action.run_id, action.id, states.DID_NOT_HAPPEN, because=states.VOIDED)
        return Known()
    return _found(attempt, answer, fence=fence)


def _found(attempt: Attempt, answer: Found, *, fence: int) -> Finding:
    answer = sensitive.found(attempt.action, answer)
    ledger.record_look_up(
        attempt, "found", detail=ours("count %(n)s", n=answer.count), clock=windows.own_clock()
    )
    ledger.record_answer(attempt, Answer("look_up", answer.receipt, states.HAPPENED), fence=fence)
    if answer.count > 1:
        return NeedsPerson(duplicate(attempt.action, answer.count))
    return Known()


def _settling(attempt: Attempt) -> Later:
    at = windows.over_at(attempt)
    sentence = f"Settling until {at.astimezone(UTC):%H:%M:%S} UTC: a late answer may still arrive."
    return Later(at, reasons.FOR_SETTLING, sentence)
