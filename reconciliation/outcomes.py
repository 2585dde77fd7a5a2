"""Finds out what became of an attempt that ended without an answer that counts.

By the table of DESIGN §4: look up, wait, send again under the key, or ask a person. Nothing
here sends an effect; *absent* only makes a further attempt possible.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.conf import settings

from approvals import clock
from canonical.redaction import Fact, ours
from checkpoints import events
from checkpoints import states as reasons
from checkpoints.boundaries import boundary
from checkpoints.cases import Trouble
from checkpoints.timers import boot_id, boot_seconds
from reconciliation import ledger, sensitive, spool, states
from reconciliation.calls import call_for, capabilities, tool_of
from reconciliation.ledger import WORKER, Answer
from reconciliation.models import Action, Attempt
from reconciliation.tools import Capabilities, Found, Unanswered, Voided
from tenants.keys import hiding, vaults

FIRST_WAIT_SECONDS = 1.0
LONGEST_WAIT_SECONDS = 60.0


@dataclass(frozen=True)
class Known:
    """The action is settled, or its last attempt is proven without effect: go on."""


@dataclass(frozen=True)
class Later:
    """Ask again at `at`; nobody is called and no worker waits. `reason` is why the run waits."""

    at: datetime
    reason: str
    sentence: str


@dataclass(frozen=True)
class NeedsPerson:
    """Nobody but a person can know."""

    trouble: Trouble


Finding = Known | Later | NeedsPerson


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
    can = _abilities(attempt)
    if isinstance(can, str):
        return _patience(attempt, can)
    step = states.first_step(can, _ages(action, attempt))
    if step == states.LOOK_UP:
        finding = _look_up(attempt, can, fence=fence, void=void)
    elif step == states.SEND_AGAIN_WITH_KEY and not void:
        ledger.end_attempt(attempt, states.ATTEMPT_RESENT)
        finding = Known()
    elif step == states.WAIT:
        finding = _window(attempt)
    else:
        finding = NeedsPerson(_unknown(action, attempt))
    boundary("reconcile:after")
    return finding


def note_unknown(attempt: Attempt, said: str) -> None:
    """The process that called heard no answer that counts: keep what it heard instead."""
    ledger.note_unknown(attempt.action_id)
    events.append(
        attempt.action.run_id,
        "no answer",
        WORKER,
        action=attempt.action_id,
        attempt=attempt.number,
        said=hiding.text(said).first(500),
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


def window_end(attempt: Attempt) -> datetime:
    """When even a late arrival of this attempt is over, by the database's clock."""
    return attempt.deadline_at + timedelta(seconds=attempt.margin_seconds)


def _nothing_open(action: Action, *, fence: int, void: bool) -> Finding:
    """A further attempt may be sent; a void makes *no* final instead, where the tool can."""
    called = action.attempts.exclude(outcome=states.ATTEMPT_NOT_CALLED)
    last = called.select_related("action__tenant").order_by("-number").first()
    if not void or last is None:
        return Known()
    finding = _no_made_final(last, fence=fence)
    if isinstance(finding, NeedsPerson):
        # A verdict is about an attempt of which nobody knows.
        ledger.reopen_attempt(last)
    return finding


def _no_made_final(last: Attempt, *, fence: int) -> Finding:
    if last.outcome == states.ATTEMPT_RESENT:
        # It may be sent again under its key, which proves nothing about the first time.
        return NeedsPerson(_unknown(last.action, last))
    can = _abilities(last)
    if isinstance(can, str):
        return _patience(last, can)
    return _void(last, fence=fence) if can.void else Known()


def _abilities(attempt: Attempt) -> Capabilities | str:
    """What the tool can do for this target, or why that cannot be told now."""
    try:
        return capabilities(attempt.action)
    except Exception as error:  # a check that cannot be completed is silence, never a yes
        return _said(error)


def _said(error: Exception) -> str:
    said = str(error) if isinstance(error, Unanswered) else f"{type(error).__name__}: {error}"
    return str(hiding.text(said))


def _look_up(attempt: Attempt, can: Capabilities, *, fence: int, void: bool) -> Finding:
    action = attempt.action
    if can.void and void:
        return _void(attempt, fence=fence)
    try:
        answer = tool_of(action).look_up(call_for(action, attempt))
    except Exception as silence:  # whatever it raises, it is no answer
        return _patience(attempt, _said(silence))
    if isinstance(answer, Found):
        return _found(attempt, answer, fence=fence)
    ledger.record_look_up(attempt, "absent", detail="", clock=_own_clock())
    # Whoever can void has a place that only one attempt can take: a late arrival of this one
    # and a further attempt exclude each other. Everybody else must outwait the window.
    if can.void or _window_is_over(attempt):
        ledger.end_attempt(attempt, states.ATTEMPT_ABSENT)
        return Known()
    return _window(attempt)


def _void(attempt: Attempt, *, fence: int) -> Finding:
    action = attempt.action
    try:
        answer = tool_of(action).void(call_for(action, attempt))
    except Exception as silence:  # whatever it raises, it is no answer
        return _patience(attempt, _said(silence))
    if isinstance(answer, Voided):
        evidence = hiding.text(answer.evidence.decode(errors="replace"))
        ledger.record_look_up(attempt, "voided", detail=evidence, clock=_own_clock())
        ledger.settle(action.run_id, action.id, states.DID_NOT_HAPPEN, because=states.VOIDED)
        return Known()
    return _found(attempt, answer, fence=fence)


def _found(attempt: Attempt, answer: Found, *, fence: int) -> Finding:
    answer = sensitive.found(attempt.action, answer)
    ledger.record_look_up(
        attempt, "found", detail=ours("count %(n)s", n=answer.count), clock=_own_clock()
    )
    ledger.record_answer(attempt, Answer("look_up", answer.receipt, states.HAPPENED), fence=fence)
    if answer.count > 1:
        said = ours("The tool has this effect %(n)s times.", n=answer.count)
        facts: dict[str, Fact] = {
            "count": answer.count,
            **hiding.texts(error="duplicate", target=attempt.action.target),
        }
        return NeedsPerson(Trouble(reasons.DUPLICATE_EFFECT, said, facts, attempt.action_id))
    return Known()


def _patience(attempt: Attempt, silence: str) -> Finding:
    """No answer: ask again with back-off for the tool's patience, only then call a person."""
    ledger.record_look_up(attempt, "unanswered", detail=hiding.text(silence), clock=_own_clock())
    asked = attempt.look_ups.filter(answer="unanswered")
    first = asked.order_by("id").values_list("at", flat=True)[0]
    now = clock.now()
    if now - first > timedelta(seconds=settings.KEDGE_PATIENCE_SECONDS):
        return NeedsPerson(_unknown(attempt.action, attempt, silence))
    wait = min(FIRST_WAIT_SECONDS * 2 ** (asked.count() - 1), LONGEST_WAIT_SECONDS)
    sentence = f"{attempt.action.target} does not answer ({silence}); asked again by itself."
    return Later(now + timedelta(seconds=wait), reasons.FOR_LOOK_UP, sentence)


def _window(attempt: Attempt) -> Finding:
    if not attempt.look_ups.filter(boot_id=boot_id()).exists():
        ledger.record_look_up(attempt, "first_seen", detail="", clock=_own_clock())
    own = attempt.look_ups.filter(boot_id=boot_id()).order_by("id")[0].boot_seconds
    left = own + _window_seconds(attempt) - boot_seconds()
    at = max(window_end(attempt), clock.now() + timedelta(seconds=max(left, 0)))
    at += timedelta(milliseconds=50)
    sentence = f"Settling until {at.astimezone(UTC):%H:%M:%S} UTC: a late answer may still arrive."
    return Later(at, reasons.FOR_SETTLING, sentence)


def _window_is_over(attempt: Attempt) -> bool:
    """Both clocks must agree: the database's, and this machine's own since first sight (rule 8)."""
    mine = attempt.look_ups.filter(boot_id=boot_id()).order_by("id").first()
    own = mine is not None and boot_seconds() - mine.boot_seconds >= _window_seconds(attempt)
    return own and clock.now() > window_end(attempt)


def _window_seconds(attempt: Attempt) -> float:
    return tool_of(attempt.action).budget_seconds + attempt.margin_seconds


def _ages(action: Action, attempt: Attempt) -> states.Ages:
    first = action.attempts.order_by("number").values_list("dispatched_at", flat=True)[0]
    tool = tool_of(action)
    return states.Ages(
        since_first_intent=(clock.now() - first).total_seconds(),
        window_closed=_window_is_over(attempt),
        budget=tool.budget_seconds,
        margin=tool.margin_seconds,
    )


def _unknown(action: Action, attempt: Attempt, silence: str = "") -> Trouble:
    why = (
        f"it has not answered for {settings.KEDGE_PATIENCE_SECONDS // 60} min ({silence})"
        if silence
        else f"{action.tool} cannot be asked"
    )
    sentence = f"“{action.describe}” was sent and no answer came; {why}, so a person must find out."
    facts: dict[str, Fact] = {
        **hiding.texts(error="no answer", tool=action.tool, target=action.target),
        "attempt": attempt.id,
        "number": attempt.number,
        "sent_at": attempt.dispatched_at,
        "window_ends_at": window_end(attempt),
    }
    return Trouble(reasons.OUTCOME_UNKNOWN, hiding.text(sentence), facts, action.id)


def _own_clock() -> tuple[str, float]:
    return boot_id(), boot_seconds()
