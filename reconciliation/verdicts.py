"""What a person may decide in a case, and what follows. A verdict never sends anything by itself.

`choices` says for each kind of case which verdicts there are, what each one does in one
sentence, and whether it needs evidence. `give` records one and lets the run go on.
"""

from dataclasses import dataclass, replace
from uuid import UUID

from django.db import transaction
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from approvals import clock
from canonical import json as canonical
from canonical.redaction import Fact
from checkpoints import cases, knowing, runs, states
from checkpoints.cases import Ruling
from checkpoints.models import Case, Run, Verdict
from reconciliation import ledger, outcomes
from reconciliation import states as world
from reconciliation.calls import tool_of
from reconciliation.errors import VerdictRefusedError
from reconciliation.ledger import Answer
from reconciliation.models import Action, Attempt, Receipt
from tenants.actors import Actor
from tenants.keys import hiding
from tenants.models import User

IT_HAPPENED = "it_happened"
SEND_AGAIN = "send_again"
IT_DID_NOT = "it_did_not"
WRITE_OFF = "write_off"
LOOK_UP_AGAIN = "look_up_again"
TRY_AGAIN = "try_again"
GO_ON_FROM = "go_on_from"
CANCEL = "cancel"

MOST_HEARD = 20  # receipts of an action that are read for what people might quote


@dataclass(frozen=True)
class Choice:
    """One verdict: its name, the words on its button, what follows, and whether it needs proof."""

    verdict: str
    label: str | Promise
    follows: str | Promise
    needs_evidence: bool = False
    needs_seq: bool = False


_UNKNOWN = (
    Choice(
        IT_HAPPENED,
        _("It happened"),
        _("The run goes on as if the answer had arrived. Nothing is sent."),
        needs_evidence=True,
    ),
    Choice(
        SEND_AGAIN,
        _("It did not happen: ask to send it again"),
        _("A new approval is asked for. Nothing is sent before somebody else says yes."),
        needs_evidence=True,
    ),
    Choice(
        IT_DID_NOT,
        _("It did not happen: go on without it"),
        _("The run hears that it did not happen. Nothing is sent."),
        needs_evidence=True,
    ),
    Choice(
        WRITE_OFF,
        _("Nobody can know: write it off"),
        _("The run goes on, and the ledger says that nobody knows. Nothing is sent."),
    ),
)
_TRY = Choice(
    TRY_AGAIN,
    _("Try again"),
    _("The run goes on from its last checkpoint. Nothing that was sent is sent again."),
)
_BACK = Choice(
    GO_ON_FROM,
    _("Go on from an earlier checkpoint"),
    _("A new checkpoint takes the state of the one you name; later ones stay as they are."),
    needs_seq=True,
)
_CANCEL = Choice(
    CANCEL,
    _("Cancel the run"),
    _("The run ends. What it sent stands; what is not sent is never sent."),
)
_ASK = Choice(
    LOOK_UP_AGAIN, _("Ask the tool again"), _("The engine looks it up once more. Nothing is sent.")
)

CHOICES: dict[str, tuple[Choice, ...]] = {
    states.OUTCOME_UNKNOWN: (*_UNKNOWN, _ASK),
    states.DAMAGED_CHECKPOINT: (_BACK, _TRY, _CANCEL),
    states.MISSING_BLOB: (_BACK, _TRY, _CANCEL),
    states.UNMIGRATABLE: (_TRY, _CANCEL),
    states.CRASH_LOOP: (_TRY, _BACK, _CANCEL),
}
OTHERWISE = (_TRY, _CANCEL)


@dataclass(frozen=True)
class Given:
    """What a person decided: the verdict, why, on what evidence, and from which checkpoint."""

    verdict: str
    reason: str
    evidence: str = ""
    seq: int | None = None


@dataclass(frozen=True)
class Desk:
    """What lies before the person who decides: all locked."""

    run: Run
    case: Case
    given: Given
    user: User


def choices(case: Case) -> tuple[Choice, ...]:
    """The verdicts this case can get; a tool that cannot be asked is not offered for asking."""
    found = CHOICES.get(case.kind, OTHERWISE)
    if case.kind == states.OUTCOME_UNKNOWN and not _can_be_asked(case):
        return tuple(choice for choice in found if choice.verdict != LOOK_UP_AGAIN)
    return found


def _can_be_asked(case: Case) -> bool:
    # What the tool can do at best: its target is not asked, the run's lock may be held here.
    able = tool_of(Action.objects.get(pk=_action_id(case))).capabilities
    return able.look_up or able.keyed is not None


def give(case_id: UUID, given: Given, *, user: User) -> Verdict:
    """Record a verdict and let the run go on, in one transaction.

    Raises `VerdictRefusedError` when it cannot be given now, `IllegalMoveError` when somebody
    was quicker. The case closes when the run has committed past the trouble.
    """
    with transaction.atomic():
        run, case = cases.locked(case_id)
        given = _redacted(case, given)
        choice = _choice(case, given)
        detail: dict[str, Fact] = {"seq": given.seq} if given.seq is not None else {}
        ruling = Ruling(
            given.verdict, hiding.text(given.reason), hiding.text(given.evidence), detail
        )
        verdict = cases.decide(case, ruling, user=user)
        FOLLOWS[choice.verdict](Desk(run, case, given, user))
        if run.status == states.HELD:
            runs.release_hold(run.id, sentence=hiding.text(f"{user} decided: {choice.label}."))
    return verdict


def _redacted(case: Case, given: Given) -> Given:
    """People quote what they saw; what is sensitive in the run and its action stays out."""
    also: list[bytes] = []
    if case.action_id is not None:
        sent = Action.objects.filter(pk=case.action_id).values_list("parameters", flat=True)
        heard = Receipt.objects.filter(action_id=case.action_id).values_list("content", flat=True)
        also = [bytes(each) for each in (*sent, *heard[:MOST_HEARD])]
    reason, evidence = (
        str(knowing.words(said, of=[case.run_id], also=also))
        for said in (given.reason, given.evidence)
    )
    return replace(given, reason=reason, evidence=evidence)


def _choice(case: Case, given: Given) -> Choice:
    for choice in choices(case):
        if choice.verdict == given.verdict:
            if choice.needs_evidence and not given.evidence.strip():
                raise VerdictRefusedError("say what you saw and where: this verdict needs evidence")
            if choice.needs_seq and given.seq is None:
                raise VerdictRefusedError("name the checkpoint to go on from")
            return choice
    raise VerdictRefusedError(f"a case of kind {case.kind} has no verdict {given.verdict!r}")


def _it_happened(desk: Desk) -> None:
    attempt = _unknown(desk.case)
    seen = {"said_by": desk.user.email, "evidence": desk.given.evidence}
    answer = Answer(
        "person", canonical.dumps(seen), world.HAPPENED, note=hiding.text(desk.given.reason)
    )
    ledger.record_answer(attempt, answer, fence=desk.run.fence)


def _send_again(desk: Desk) -> None:
    attempt = _unknown(desk.case)
    _refuse_before_window_ends(attempt)
    ledger.end_attempt(attempt, world.ATTEMPT_ABSENT)


def _it_did_not(desk: Desk) -> None:
    attempt = _unknown(desk.case)
    _refuse_before_window_ends(attempt)
    _settle(desk, attempt, world.DID_NOT_HAPPEN)


def _write_off(desk: Desk) -> None:
    _settle(desk, _unknown(desk.case), world.WRITTEN_OFF)


def _go_on_from(desk: Desk) -> None:
    seq = desk.given.seq
    if seq is None or not 0 <= seq <= desk.run.head:
        most = desk.run.head
        raise VerdictRefusedError(f"the run has checkpoints 1 to {most}; name one of them")
    if desk.run.effect_in_flight is not None:
        raise VerdictRefusedError("an effect is not settled yet: that comes first")


def _cancel(desk: Desk) -> None:
    actor = Actor.person(desk.user)
    runs.request_cancel(desk.run.id, why=hiding.text(desk.given.reason), actor=actor)


def _nothing_more(desk: Desk) -> None:
    """The run only goes on."""


def _settle(desk: Desk, attempt: Attempt, outcome: str) -> None:
    ledger.settle(
        desk.run.id,
        attempt.action_id,
        outcome,
        because=world.BY_PERSON,
        note=hiding.text(desk.given.reason),
    )


def _unknown(case: Case) -> Attempt:
    """The attempt whose outcome the case is about, while nobody knows it."""
    attempt = (
        Attempt.objects.select_related("action__tenant")
        .filter(action_id=_action_id(case), outcome="")
        .first()
    )
    if attempt is None or attempt.action.stands == world.SETTLED:
        raise VerdictRefusedError("the outcome is known by now; load the page again")
    return attempt


def _action_id(case: Case) -> UUID:
    if case.action_id is None:
        raise VerdictRefusedError("this case is about no action")
    return case.action_id


def _refuse_before_window_ends(attempt: Attempt) -> None:
    """*It did not* can be said only when even a late arrival is over (rule 6)."""
    ends = outcomes.window_end(attempt)
    if clock.now() <= ends:
        raise VerdictRefusedError(
            f"it may still arrive until {ends:%H:%M:%S} UTC; this can be said only after that"
        )


FOLLOWS = {
    IT_HAPPENED: _it_happened,
    SEND_AGAIN: _send_again,
    IT_DID_NOT: _it_did_not,
    WRITE_OFF: _write_off,
    LOOK_UP_AGAIN: _nothing_more,
    TRY_AGAIN: _nothing_more,
    GO_ON_FROM: _go_on_from,
    CANCEL: _cancel,
}
