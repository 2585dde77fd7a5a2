"""④ Every open effect is listed and found out about; what was asked for the combo is withdrawn."""

from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from approvals import requests
from approvals import states as permission
from approvals.models import ApprovalRequest
from canonical.redaction import ours
from checkpoints import holding, states
from checkpoints.models import Run
from reconciliation import findings, ledger
from reconciliation import states as world
from reconciliation.models import Action, Attempt
from releases.rollbacks import board, phases
from releases.rollbacks.board import ROLLBACK
from releases.rollbacks.models import Rollback
from releases.rollbacks.steps import resting, stopping
from tenants.keys import hiding

MOST: Final = 100


def step(rollback: Rollback) -> str:
    """Waits until nothing that was sent is unknown, and nothing is asked for the combo any more."""
    keep(rollback)
    out = rollback.effects.filter(state__in=[phases.UNKNOWN, phases.ATTEMPTING]).count()
    asked = questions(rollback).count()
    waits = []
    if out:
        told = ngettext("%(n)d effect nobody knows of", "%(n)d effects nobody knows of", out)
        waits.append(told % {"n": out})
    if asked:
        told = ngettext(
            "%(n)d question not withdrawn yet", "%(n)d questions not withdrawn yet", asked
        )
        waits.append(told % {"n": asked})
    return _("Waits for %(what)s.") % {"what": ", ".join(waits)} if waits else ""


def keep(rollback: Rollback) -> None:
    """What holds from this phase on: stopped, held, nothing asked, and the board as things stand."""
    stopping.keep_stopped(rollback)
    for run_id in list(questions(rollback).values_list("run_id", flat=True)[:MOST]):
        with transaction.atomic():
            _withdraw(rollback, run_id)
    _ask_about_what_may_not_be_sent_again(rollback)
    resting.rest_idle(rollback)
    board.refresh(rollback)


def questions(rollback: Rollback) -> QuerySet[ApprovalRequest]:
    """What people are asked, or have allowed, for runs of the combo."""
    live = ApprovalRequest.objects.filter(state__in=permission.LIVE)
    return live.filter(run__in=resting.runs(rollback).filter(moving_to=None))


def _withdraw(rollback: Rollback, run_id: UUID) -> None:
    """Its question is withdrawn and it is held in one transaction, so that nobody asks again."""
    run = Run.objects.select_for_update(skip_locked=True).filter(pk=run_id).first()
    if run is None or run.status == states.RUNNING:
        return  # whoever is at it lets go of it; then it is its turn
    for request in questions(rollback).filter(run=run):
        why = ours(
            "Withdrawn with its combo by rollback %(name)s.", name=hiding.text(str(rollback))
        )
        requests.withdraw(request.action_id, actor=ROLLBACK, reason=why)
    holding.rest_now(run, resting.said(rollback), actor=ROLLBACK)


def _ask_about_what_may_not_be_sent_again(rollback: Rollback) -> None:
    """Sending it again under its key would tell, and the stop forbids that: a person has to say."""
    last = Attempt.objects.filter(action=OuterRef("pk")).order_by("-number").values("outcome")
    doubtful = Action.objects.filter(
        pk=OuterRef("effect_in_flight"), stands=world.DISPATCHED
    ).alias(last=last[:1])
    resent = doubtful.filter(last=world.ATTEMPT_RESENT)
    waiting = resting.runs(rollback).filter(
        Exists(resent), status=states.WAITING, reason=states.FOR_STOP
    )
    for run in list(waiting.order_by("pk")[:MOST]):
        with transaction.atomic():
            _ask_a_person(run.pk)


def _ask_a_person(run_id: UUID) -> None:
    run = Run.objects.select_for_update(skip_locked=True).filter(pk=run_id).first()
    if run is None or (run.status, run.reason) != (states.WAITING, states.FOR_STOP):
        return
    related = Attempt.objects.select_related("action__tenant").filter(action__run=run)
    last = related.order_by("action__proposed_seq", "number").last()
    if last is not None and last.outcome == world.ATTEMPT_RESENT:
        ledger.reopen_attempt(last)
        holding.hold_now(run, findings.unknown(last.action, last), actor=ROLLBACK)
