"""What people do about effects of the withdrawn combo: let them stand, or have them undone."""

from collections.abc import Sequence
from uuid import UUID

from django.db import transaction
from django.db.models.functions import Now

from canonical.redaction import ours
from checkpoints.models import Run
from reconciliation.errors import VerdictRefusedError
from reconciliation.verdicts import compensating
from releases.rollbacks import board, phases
from releases.rollbacks.errors import SignOffRefusedError
from releases.rollbacks.models import EffectAcceptance, OutstandingEffect, Rollback
from releases.rollbacks.proposing import locked, refuse_person, tell
from tenants.actors import Actor
from tenants.keys import hiding
from tenants.models import User

RIGHT = "reconcile_actions"
CHANNEL = "rollback"
MOST = 500


def accept(rollback_id: UUID, effect_ids: Sequence[int], *, reason: str, user: User) -> int:
    """Let these effects stand as they are; returns how many. The person and reason stay on record.

    Only what is known is accepted: raises `SignOffRefusedError` for an effect that is still asked
    about, is unknown, or was signed off by now, and `Denied` without both rights.
    """
    said = hiding.text(reason.strip())
    if not str(said):
        raise SignOffRefusedError("say why it may stand: that is what is asked of you")
    with transaction.atomic():
        rollback = _on_the_board(rollback_id, user)
        effects = list(_open(rollback, effect_ids))
        if not effects or len(effects) != len(set(effect_ids)):
            raise SignOffRefusedError("some of these are signed off by now; load the page again")
        unknown = [each for each in effects if each.state not in phases.OUTSIDE]
        if unknown:
            raise SignOffRefusedError(
                f"{len(unknown)} of these are not known yet: that is found out first"
            )
        EffectAcceptance.objects.bulk_create(
            EffectAcceptance(effect=each, tenant_id=each.tenant_id, user=user, reason=str(said))
            for each in effects
        )
        hit = OutstandingEffect.objects.filter(pk__in=[each.pk for each in effects], signed_off="")
        hit.update(signed_off=phases.ACCEPTED, signed_by=user, reason=str(said), signed_at=Now())
        tell(rollback, Actor.person(user), "accepted effects", n=len(effects), reason=said)
    return len(effects)


def compensate(rollback_id: UUID, effect_id: int, *, why: str, user: User) -> Run:
    """Begin the run that undoes an effect: its own dry run, its own approval. The board is told by
    the ledger when it has happened. Raises `SignOffRefusedError`, `Denied`.
    """
    said = hiding.text(why.strip())
    if not str(said):
        raise SignOffRefusedError("say why it is undone: who approves that reads it")
    with transaction.atomic():
        rollback = _on_the_board(rollback_id, user)
        effect = next(iter(_open(rollback, [effect_id])), None)
        if effect is None or effect.state not in phases.OUTSIDE:
            raise SignOffRefusedError("only what happened and is not signed off can be undone")
        try:
            run = compensating.undo(effect.action, why=str(said), channel=CHANNEL, user=user)
        except VerdictRefusedError as refusal:
            raise SignOffRefusedError(str(refusal)) from refusal
        about = ours("action %(id)s", id=effect.action_id)
        tell(rollback, Actor.person(user), "began to undo effect", what=about, run=run.pk, why=said)
    return run


def _on_the_board(rollback_id: UUID, user: User) -> Rollback:
    rollback = locked(rollback_id, user)
    refuse_person(rollback.tenant_id, user, RIGHT)
    if rollback.phase not in phases.ON_THE_BOARD:
        raise SignOffRefusedError("effects are signed off once traffic is back and all are listed")
    board.refresh(rollback)
    return rollback


def _open(rollback: Rollback, effect_ids: Sequence[int]) -> list[OutstandingEffect]:
    mine = rollback.effects.select_related("action__tenant", "action__run")
    return list(mine.filter(pk__in=list(effect_ids)[:MOST], signed_off="").order_by("pk"))
