"""⑤ Each held run: it goes on under the older combo, is forked, cancelled, or waits."""

import logging
from contextlib import suppress
from typing import Final
from uuid import uuid5

from django.db import transaction
from django.db.models.functions import Now
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from canonical.redaction import Redacted, ours
from checkpoints import runs, states
from checkpoints.errors import IllegalMoveError, RecordError, RepinRefusedError
from checkpoints.models import Checkpoint, Repin, Run
from checkpoints.repins import Cause
from execution import repinning, repinstanding
from execution.forks import making
from releases.rollbacks import holding, phases
from releases.rollbacks.board import ROLLBACK
from releases.rollbacks.models import Rollback, RollbackRun
from releases.rollbacks.steps import reconciling
from tenants.actors import Actor
from tenants.keys import hiding

log = logging.getLogger(__name__)

MOST: Final = 100


def step(rollback: Rollback) -> str:
    """Carry out what was chosen; waits for choices, for workers, and for cases of held runs."""
    reconciling.keep(rollback)
    holding.take_in(rollback)
    _end_twins(rollback)
    related = ("run__tenant", "run__combo", "chosen_by")
    chosen = rollback.runs.filter(ended="").exclude(choice="").select_related(*related)
    # In any order: those that have to wait for others must not keep out the rest.
    for row in list(chosen.order_by("?")[:MOST]):
        _carry_out(rollback, row)
    undecided = rollback.runs.filter(ended="", choice="").count()
    under_way = rollback.runs.filter(ended="").exclude(choice="").count()
    waits = []
    if undecided:
        told = ngettext("a choice for %(n)d run", "a choice for %(n)d runs", undecided)
        waits.append(told % {"n": undecided})
    if under_way:
        told = ngettext("%(n)d run under way", "%(n)d runs under way", under_way)
        waits.append(told % {"n": under_way})
    return _("Waits for %(what)s.") % {"what": ", ".join(waits)} if waits else ""


def _end_twins(rollback: Rollback) -> None:
    """Shadows of the combo try nothing any more, and have nothing outside: they end."""
    twins = Run.objects.filter(
        tenant=rollback.tenant, combo=rollback.from_combo, mode=states.SHADOW_MODE
    )
    for run in twins.exclude(status__in=states.FINAL).filter(cancel_requested_at=None)[:MOST]:
        with suppress(IllegalMoveError):  # it ended meanwhile
            runs.request_cancel(run.pk, why=_why(rollback), actor=ROLLBACK)


def _carry_out(rollback: Rollback, row: RollbackRun) -> None:
    """One run, in a transaction of its own inside: what is refused of it leaves no trace but words."""
    try:
        with transaction.atomic():
            _VERBS[row.choice](rollback, row)
    except RecordError as refusal:
        _say(row, str(refusal) or str(type(refusal).__doc__))
    except Exception as error:  # a fault in one run must not keep the others from theirs
        log.exception("rollback %s: run %s", rollback.pk, row.run_id)
        _say(row, _("It broke off (%(what)s).") % {"what": type(error).__name__})


def _go_on(rollback: Rollback, row: RollbackRun) -> None:
    run = row.run
    if run.combo_id == rollback.to_combo_id:
        _end(row, phases.WENT_ON)
        return
    if run.status in states.FINAL:
        _end(row, phases.ENDED_ITSELF)
        return
    [standing] = repinstanding.of([run.pk])
    if standing.effect_in_flight and run.reason == states.FOR_STOP:
        _unchoose(row, _("Its effect is not there, and is not sent again while it is stopped."))
        return
    refused = Repin.objects.filter(run=run, reference=rollback.pk, ended="refused").first()
    if refused is not None:
        _unchoose(row, refused.sentence, kind=phases.FORWARD_ONLY)
        return
    try:
        repin = repinning.order(
            run,
            rollback.to_combo,
            why=_why(rollback),
            cause=Cause.rollback(rollback.pk),
            actor=_actor(rollback, row),
        )
    except RepinRefusedError as refusal:
        if refusal.code != "ordered_already":
            raise
        _say(row, _("A worker of its code brings it to its next boundary and moves it."))
        return
    if repin.ended == "moved":
        _end(row, phases.WENT_ON)


def _cancel(rollback: Rollback, row: RollbackRun) -> None:
    if row.run.status in states.FINAL:
        cancelled = row.run.status == states.CANCELLED
        _end(row, phases.CANCELLED if cancelled else phases.ENDED_ITSELF)
        return
    _ask_to_end(rollback, row)


def _fork(rollback: Rollback, row: RollbackRun) -> None:
    """The source ends first, so that one of them has its effects; the fork begins before this combo."""
    run = row.run
    if run.status not in states.FINAL:
        _ask_to_end(rollback, row)
        return
    if run.status != states.CANCELLED:
        _end(row, phases.ENDED_ITSELF)
        return
    wanted = making.Wanted(
        seq=_before(rollback, run),
        reason=_why(rollback),
        token=uuid5(rollback.pk, str(run.pk)),
        combo=rollback.to_combo,
        withdraws=True,
    )
    fork, _made = making.fork(run, wanted, actor=_actor(rollback, row))
    RollbackRun.objects.filter(pk=row.pk).update(fork=fork)
    _end(row, phases.FORKED)


def _wait(_rollback: Rollback, row: RollbackRun) -> None:
    ended = row.run.status in states.FINAL
    _end(row, phases.ENDED_ITSELF if ended else phases.WAITS)


_VERBS: Final = {
    phases.TO_GO_ON: _go_on,
    phases.TO_CANCEL: _cancel,
    phases.TO_FORK: _fork,
    phases.TO_WAIT: _wait,
}


def _before(rollback: Rollback, run: Run) -> int:
    """The last checkpoint that the older combo made; 0, the start, when it made none."""
    made = Checkpoint.objects.filter(run_id=run.pk, combo=rollback.to_combo_id)
    return made.order_by("-seq").values_list("seq", flat=True).first() or 0


def _ask_to_end(rollback: Rollback, row: RollbackRun) -> None:
    if row.run.cancel_requested_at is None:
        with suppress(IllegalMoveError):  # it ended meanwhile: the next round sees how
            runs.request_cancel(row.run_id, why=_why(rollback), actor=_actor(rollback, row))
    held = row.run.status == states.HELD
    _say(row, _("It ends when its case is decided.") if held else _("A worker ends it."))


def _actor(rollback: Rollback, row: RollbackRun) -> Actor:
    """Whoever chose it, or whoever ordered the rollback as it is; else its policy did."""
    person = row.chosen_by or rollback.started_by
    return Actor.person(person) if person is not None else ROLLBACK


def _why(rollback: Rollback) -> Redacted:
    return ours(
        "Rollback %(name)s: %(why)s", name=hiding.text(str(rollback)), why=hiding.text(rollback.why)
    )


def _end(row: RollbackRun, how: str) -> None:
    """One guarded change that must hit exactly this row, not ended yet."""
    hit = RollbackRun.objects.filter(pk=row.pk, ended="").update(ended=how, ended_at=Now(), said="")
    if hit != 1:
        raise AssertionError(f"run {row.run_id} was decided twice under one lock")


def _unchoose(row: RollbackRun, why: str, *, kind: str = "") -> None:
    """What was chosen cannot be: a person has to choose something else."""
    RollbackRun.objects.filter(pk=row.pk, ended="").update(
        choice="", chosen_by=None, kind=kind or row.kind, said=str(hiding.text(why))
    )


def _say(row: RollbackRun, what: str) -> None:
    said = str(hiding.text(what))
    if row.said != said:  # it is asked again each second, for days
        RollbackRun.objects.filter(pk=row.pk).update(said=said)
