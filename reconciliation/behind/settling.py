"""Settling what the record lacks: by what the ledger came to know, by the tool, or by a person."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, OuterRef, UUIDField
from django.db.models.fields.json import KT
from django.db.models.functions import Cast, Now

from canonical.redaction import Fact, Redacted, Said, ours
from checkpoints import answered, cases, runs, states, stopright
from checkpoints.errors import IllegalMoveError
from checkpoints.models import Case, Run, Verdict
from reconciliation import states as world
from reconciliation.behind import enlisting, restoring
from reconciliation.behind.models import (
    ACTION,
    DID_NOT_HAPPEN,
    HAPPENED,
    NOBODY_KNOWS,
    NOT_THERE,
    OPEN,
    RUN,
    THERE,
    VOIDED,
    WRITTEN_OFF,
    MissingLine,
)
from reconciliation.errors import VerdictRefusedError
from reconciliation.models import Action, Attempt
from tenants import access, audit
from tenants.actors import Actor
from tenants.keys import hiding
from tenants.models import User

log = logging.getLogger(__name__)

BY: Final = Actor.machine("journal")
MOST: Final = 500
RIGHT: Final = "reconcile_actions"

OF_ATTEMPT: Final = {
    world.ATTEMPT_HAPPENED: HAPPENED,
    world.ATTEMPT_ABSENT: DID_NOT_HAPPEN,
    world.ATTEMPT_VOIDED: DID_NOT_HAPPEN,
    world.ATTEMPT_NOT_CALLED: DID_NOT_HAPPEN,
    world.ATTEMPT_REFUSED: DID_NOT_HAPPEN,
    world.ATTEMPT_WRITTEN_OFF: WRITTEN_OFF,
    world.ATTEMPT_RESENT: NOBODY_KNOWS,
}
OF_ACTION: Final = {
    world.HAPPENED: HAPPENED,
    world.DID_NOT_HAPPEN: DID_NOT_HAPPEN,
    world.REFUSED: DID_NOT_HAPPEN,
    world.WRITTEN_OFF: WRITTEN_OFF,
}
BY_TOOL: Final = {THERE: HAPPENED, NOT_THERE: DID_NOT_HAPPEN, VOIDED: DID_NOT_HAPPEN}
BY_PERSON: Final = (HAPPENED, DID_NOT_HAPPEN, NOBODY_KNOWS)


def settle_known() -> int:
    """The sweeper's duty: settle what is known by now, hold what is not; returns how many."""
    lines = list(MissingLine.objects.filter(became=OPEN).order_by("pk")[:MOST])
    ledger = _Ledger.of(lines) if lines else None
    settled = sum(_known(line, ledger) for line in lines if ledger is not None)
    _close_answered_cases()
    return settled


def by_tool(line: MissingLine, receipt: bytes) -> None:
    """The tool was asked with what the line has: what it says settles a line of a run that is there."""
    if line.lacks != ACTION or line.found not in BY_TOOL:
        return
    try:
        _settle_by_tool(line, receipt)
    except VerdictRefusedError as refusal:  # a person ends the run
        log.warning("missing line %s: %s", line.pk, refusal)


def _settle_by_tool(line: MissingLine, receipt: bytes) -> None:
    with transaction.atomic():
        run = Run.objects.select_for_update().get(pk=line.run_id)
        locked = MissingLine.objects.select_for_update().get(pk=line.pk)
        if locked.became != OPEN:
            return
        restoring.put_back(locked, run, _known_by_tool(locked.found, receipt))
        told = ours("The tool was asked: %(found)s.", found=hiding.text(locked.found))
        _settle(locked, BY_TOOL[locked.found], reason=told, user=None)
        _close_case(run, locked, told)


def by_verdict(case: Case, became: str, *, reason: Said, user: User) -> None:
    """Inside a verdict's transaction: a person said what became of what the case is about."""
    line = of_case(case)
    if line is not None and line.became == OPEN:
        _settle(line, became, reason=hiding.text(hiding.said(reason)), user=user)


def of_case(case: Case) -> MissingLine | None:
    """The line that a case of kind *record behind* is about."""
    attempt = case.facts.get("attempt")
    return MissingLine.objects.filter(attempt_id=attempt).first() if attempt else None


def settle(line_id: int, *, became: str, reason: str, user: User) -> MissingLine:
    """A named person says what became of an effect whose run the record has lost, and why.

    Raises `VerdictRefusedError` where a case asks for it, or when it was said already.
    """
    if became not in BY_PERSON:
        raise VerdictRefusedError("say that it happened, that it did not, or that nobody knows")
    if not reason.strip():
        raise VerdictRefusedError("say in a few words what you saw, and where")
    with transaction.atomic():
        line = MissingLine.objects.select_for_update(of=("self",)).get(pk=line_id)
        _refuse_unless_open(line, user)
        _settle(line, became, reason=hiding.text(reason), user=user)
    line.refresh_from_db()
    return line


def lost_of(run_id: UUID) -> MissingLine | None:
    """The first open line of a run whose effect is not in the ledger, in any way, by now."""
    put_back = Attempt.objects.filter(pk=OuterRef("attempt_id"))
    lost = MissingLine.objects.filter(~Exists(put_back), run_id=run_id, became=OPEN)
    return lost.exclude(lacks=RUN).order_by("pk").first()


def why_no_start(tenant_id: int, task_type: str, business_key: str) -> str:
    """For `settings.KEDGE_START_CHECKS`: the record lost the run of this key, and it may stand."""
    lost = MissingLine.objects.filter(
        tenant_id=tenant_id,
        lacks=RUN,
        line__task_type=task_type,
        line__business_key=business_key,
    )
    line = lost.exclude(became=DID_NOT_HAPPEN).first()
    if line is None:
        return ""
    return f"a run of it was lost from this record, and what it sent may stand (line {line.pk})"


def may_settle(line: MissingLine) -> bool:
    """Whether a person settles it here."""
    open_case = Case.objects.filter(run_id=line.run_id, decided_at=None, closed_at=None)
    in_ledger = Attempt.objects.filter(pk=line.attempt_id)
    return is_a_persons(line, has_case=open_case.exists(), in_ledger=in_ledger.exists())


def is_a_persons(line: MissingLine, *, has_case: bool, in_ledger: bool) -> bool:
    """The same where it is known: nothing in the ledger settles it, and no case asks for it."""
    return line.became == OPEN and (line.lacks == RUN or not (has_case or in_ledger))


def _known_by_tool(found: str, receipt: bytes) -> restoring.Known:
    if found == THERE:
        return restoring.happened(world.LOOKED_UP, receipt)
    return restoring.did_not(world.VOIDED if found == VOIDED else world.LOOKED_UP)


def _refuse_unless_open(line: MissingLine, user: User) -> None:
    if line.became != OPEN:
        raise VerdictRefusedError("it is settled already; load the page again")
    if not may_settle(line):
        raise VerdictRefusedError("its run has a case: give your verdict there")
    if line.tenant_id is None:
        if user.pk not in stopright.who_may(None, [user.pk]):
            raise VerdictRefusedError("its tenant is lost too: it takes the right at every tenant")
    elif user.pk not in access.who_may(line.tenant_id, RIGHT, [user.pk]):
        raise VerdictRefusedError("it takes the right to resolve unknown outcomes there")


@dataclass(frozen=True)
class _Ledger:
    """What the ledger and the runs say of many lines, read at once.

    `waits` are actions of which an attempt is out: none of a line can be added beside it.
    """

    attempts: Mapping[UUID, Attempt]
    actions: Mapping[UUID, Action]
    waits: frozenset[UUID]
    held: frozenset[UUID]

    @classmethod
    def of(cls, lines: Sequence[MissingLine]) -> "_Ledger":
        runs_of, actions_of = [each.run_id for each in lines], [each.action_id for each in lines]
        out = Attempt.objects.filter(action__in=actions_of).exclude(
            outcome__in=world.PROVEN_WITHOUT_EFFECT
        )
        held = Run.objects.filter(pk__in=runs_of, status=states.HELD)
        return cls(
            Attempt.objects.in_bulk([each.attempt_id for each in lines]),
            Action.objects.defer("parameters").in_bulk(actions_of),
            frozenset(out.values_list("action_id", flat=True)),
            frozenset(held.values_list("pk", flat=True)),
        )

    def is_as_it_can_be(self, line: MissingLine) -> bool:
        """Whether its run is held, and nothing of it can be put into the ledger now."""
        action = self.actions.get(line.action_id)
        return line.run_id in self.held and (action is None or action.pk in self.waits)


def _known(line: MissingLine, ledger: _Ledger) -> int:
    attempt = ledger.attempts.get(line.attempt_id)
    action = ledger.actions.get(line.action_id)
    became, why = OPEN, ""
    if attempt is not None and attempt.outcome:
        became, why = OF_ATTEMPT[attempt.outcome], f"the attempt: {attempt.outcome}"
    elif action is not None and action.stands == world.SETTLED:
        became, why = OF_ACTION[action.outcome], f"the effect: {action.because or action.outcome}"
    elif line.lacks == ACTION and line.run_id not in ledger.held:
        became, why = _ended(line)
    if became == OPEN:
        if line.lacks != RUN and attempt is None and not ledger.is_as_it_can_be(line):
            enlisting.again(line, by=BY)
        return 0
    with transaction.atomic():
        locked = MissingLine.objects.select_for_update().get(pk=line.pk)
        if locked.became == OPEN:
            _settle(locked, became, reason=hiding.text(f"By the ledger, {why}."), user=None)
    return 1


def _ended(line: MissingLine) -> tuple[str, str]:
    """A person ended the run of an effect that the record has lost: what it sent stands."""
    ended = Run.objects.filter(pk=line.run_id, status__in=states.FINAL).exists()
    ruled = Verdict.objects.filter(case__run_id=line.run_id, case__kind=states.RECORD_BEHIND)
    if not ended or not ruled.exists():
        return OPEN, ""
    return BY_TOOL.get(line.found, NOBODY_KNOWS), "its run was ended by a person"


def _settle(line: MissingLine, became: str, *, reason: Redacted, user: User | None) -> None:
    hit = MissingLine.objects.filter(pk=line.pk, became=OPEN).update(
        became=became, reason=str(reason), settled_at=Now(), settled_by=user
    )
    if hit != 1:
        raise IllegalMoveError("it is settled already; load the page again")
    actor = Actor.person(user) if user is not None else BY
    facts: dict[str, Fact] = {
        "attempt": line.attempt_id,
        "became": hiding.text(became),
        "why": reason,
    }
    subject = ours("missing line %(id)s", id=line.pk)
    audit.record(line.tenant, actor, "settled missing line", subject, **facts)


def _close_answered_cases() -> None:
    """A line may be settled before a worker that met it opens a case about it: people are not asked."""
    asks = Cast(KT("facts__attempt"), UUIDField())
    known = MissingLine.objects.filter(attempt_id=OuterRef("asks")).exclude(became=OPEN)
    held = Case.objects.filter(
        kind=states.RECORD_BEHIND,
        action_id=None,
        decided_at=None,
        closed_at=None,
        run__status=states.HELD,
    )
    for case in held.alias(asks=asks).filter(Exists(known)).order_by("pk")[:MOST]:
        line = of_case(case)
        if line is not None:
            with transaction.atomic():
                run = Run.objects.select_for_update().get(pk=line.run_id)
                _close_case(run, line, ours("What it asks is settled already."))


def _close_case(run: Run, line: MissingLine, why: Redacted) -> None:
    """The case that asked people is over, unless it is about something else."""
    asked = Case.objects.filter(
        run=run, kind=states.RECORD_BEHIND, decided_at=None, closed_at=None
    ).first()
    if asked is None or str(asked.facts.get("attempt")) != str(line.attempt_id):
        return
    _, case = cases.locked(asked.pk)
    answered.close(case, because=why, actor=BY)
    run.refresh_from_db()
    if run.status == states.HELD:
        runs.release_hold(run.pk, sentence=why)
