"""③ The whole previous combo, in one move of the release and one update of its route."""

from django.db import transaction
from django.utils.text import capfirst

from canonical.redaction import ours
from releases import moving
from releases.errors import ReleaseRefusedError
from releases.locking import locked
from releases.rollbacks import decisive
from releases.rollbacks.board import ROLLBACK
from releases.rollbacks.models import Rollback
from releases.rollbacks.steps import stopping
from tenants.actors import Actor
from tenants.keys import hiding


def step(rollback: Rollback) -> str:
    """Make the move; what hinders it is what the phase waits for."""
    stopping.keep_stopped(rollback)
    user = rollback.started_by
    actor = Actor.person(user) if user is not None else ROLLBACK
    why = ours(
        "Rollback %(name)s: %(why)s", name=hiding.text(str(rollback)), why=hiding.text(rollback.why)
    )
    try:
        with transaction.atomic():
            release = locked(rollback.release_id)
            decisive.refuse(release, by_person=user is not None)
            moving.roll_back(release, why=why, actor=actor, user=user)
    except ReleaseRefusedError as refusal:
        return f"{capfirst(str(refusal))}."
    return ""
