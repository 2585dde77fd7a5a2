"""② Runs in flight reach their next boundary and are held there; whoever is at one is waited for."""

from django.db.models import Exists, OuterRef
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from checkpoints import states
from reconciliation import states as world
from reconciliation.models import Action
from releases.rollbacks import holding
from releases.rollbacks.models import Rollback
from releases.rollbacks.steps import resting, stopping


def step(rollback: Rollback) -> str:
    """Stop effects, hold what is idle; waits for workers, and for saved plans that have runs."""
    stopping.keep_stopped(rollback)
    holding.take_in(rollback)
    resting.rest_idle(rollback)
    waits = []
    at_work = working(rollback)
    if at_work:
        told = ngettext("%(n)d run that a worker is at", "%(n)d runs that workers are at", at_work)
        waits.append(told % {"n": at_work})
    moving = resting.moving(rollback).count()
    if moving:
        told = ngettext("%(n)d run that is not held yet", "%(n)d runs not held yet", moving)
        waits.append(told % {"n": moving})
    waits += holding.hold_the_rest(rollback)
    return _("Waits for %(what)s.") % {"what": ", ".join(waits)} if waits else ""


def working(rollback: Rollback) -> int:
    """How many runs a worker is at, but for those that only find out about an effect."""
    looked_up = Action.objects.filter(pk=OuterRef("effect_in_flight"), outcome=world.UNKNOWN)
    at_work = resting.runs(rollback).filter(status=states.RUNNING)
    return at_work.exclude(Exists(looked_up)).count()
