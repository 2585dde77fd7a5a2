"""Deciding: the second person's answer on the hash their page carried, and what follows of a yes."""

from dataclasses import dataclass
from functools import partial
from typing import Final
from uuid import UUID

from django.db import transaction

from approvals import states
from approvals.errors import HashMismatchError, ReasonMissingError
from approvals.models import EditDecision, EditRequest
from canonical.redaction import Fact
from checkpoints import cases, knowing, runs
from checkpoints.boundaries import boundary
from checkpoints.cases import Ruling
from execution.edits import ending, judging
from execution.edits.judging import Desk
from tenants.actors import Actor
from tenants.keys import hiding
from tenants.models import User

CLOSES_AS: Final[dict[str, str]] = {states.APPROVE: states.APPROVED, **states.CLOSES_AS}


@dataclass(frozen=True)
class Given:
    """One answer; `shown` is the hash of the page it was given on."""

    verdict: str
    reason: str
    shown: str


def decide(edit_id: UUID, given: Given, *, actor: Actor, user: User) -> EditRequest:
    """Record what a second person decided. A yes decides the case and lets the run go on.

    Nothing is sent by it: a worker commits the state as the next checkpoint, if it still may. The
    same person posting the same again gets the recorded result. Raises `NotPermittedError`,
    `HashMismatchError` (with what moved), `AlreadyDecidedError`, `UnreconciledError`,
    `ReasonMissingError`, `DamagedRequestError`, ValueError.
    """
    if given.verdict not in states.VERDICTS:
        raise ValueError(f"unknown verdict {given.verdict!r}")
    boundary("decide edit:before")
    with transaction.atomic():
        desk = judging.locked(edit_id)
        judging.admit_second(desk.edit, actor=actor, user=user)
        if _is_said_already(desk.edit, given, user):
            return desk.edit
        _judge(desk, given)
        words = knowing.words(given.reason, of=[desk.run.pk], also=[bytes(desk.edit.content)])
        EditDecision.objects.create(
            request=desk.edit,
            user=user,
            verdict=given.verdict,
            reason=str(words),
            posted_hash=given.shown,
            **actor.proof_columns(),
        )
        ending.close(desk.edit, CLOSES_AS[given.verdict], by=actor.name, because=words)
        ending.record(desk.edit, actor, given.verdict, reason=words, **actor.proof_told())
        if given.verdict == states.APPROVE:
            _let_go_on(desk, str(words), user)
        transaction.on_commit(partial(boundary, "decide edit:after"))
    return desk.edit


def _is_said_already(edit: EditRequest, given: Given, user: User) -> bool:
    mine = EditDecision.objects.filter(request=edit, user=user).first()
    return mine is not None and (mine.verdict, mine.posted_hash) == (given.verdict, given.shown)


def _judge(desk: Desk, given: Given) -> None:
    """A no harms nobody, whatever has moved; a yes is judged whole."""
    judging.refuse_if_not_open(desk.edit)
    if given.shown != desk.edit.edit_hash:
        raise HashMismatchError(desk.edit.pk, [])
    if given.verdict != states.APPROVE:
        if not given.reason.strip():
            raise ReasonMissingError(f"edit {desk.edit.pk}: {given.verdict} without a reason")
        return
    judging.refuse_if_unreconciled(desk.run)
    found = judging.moved(desk)
    if found:
        raise HashMismatchError(desk.edit.pk, found)


def _let_go_on(desk: Desk, note: str, user: User) -> None:
    """The case is decided by the edit; the run is due, and its next turn commits the state."""
    edit = desk.edit
    detail: dict[str, Fact] = {
        "edit": edit.pk,
        "seq": edit.parent_seq,
        "author": hiding.text(str(edit.author)),
        "hash": hiding.text(edit.edit_hash),
    }
    evidence = hiding.text(note)
    ruling = Ruling(edit.kind, hiding.text(edit.reason), evidence, detail)
    cases.decide(desk.case, ruling, user=user)
    said = hiding.text(f"{user} approved the state that {edit.author} wrote.")
    runs.release_hold(desk.run.pk, sentence=said)
