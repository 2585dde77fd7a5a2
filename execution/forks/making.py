"""Forks a run: a new run from one of its checkpoints, onto a combo whose code is here (rule 5).

The source stays as it is. All is judged under its lock, the effects of its whole lineage too; an
effect that another run of the lineage sends a moment later is met by its key, as any other.
"""

from dataclasses import dataclass
from uuid import UUID

from django.db import transaction

from canonical.redaction import Said
from checkpoints import forks, knowing, registry, stops
from checkpoints.boundaries import boundary
from checkpoints.errors import ForkMovedError, ForkRefusedError, IllegalMoveError
from checkpoints.forks import Asked
from checkpoints.models import Combo, Fork, Run
from checkpoints.scopes import Under
from execution.forecasts import Forecast
from execution.forecasts.judging import NEEDS_APPROVAL
from execution.forks import compatible, previews, withdrawing
from tenants.actors import Actor
from tenants.keys import hiding


@dataclass(frozen=True)
class Wanted:
    """What somebody asks for.

    `seq` is a checkpoint of the source, 0 its start; `combo` None is the one whose code is here.
    `token` makes a repeated request one fork. `seen` is the digest of the preview that was shown
    ("" when none was). `again` are effects that are done again on purpose, as new generations;
    `withdraws`: what the source has proposed and not sent is withdrawn.
    """

    seq: int
    reason: Said
    token: UUID
    combo: Combo | None = None
    seen: str = ""
    again: frozenset[UUID] = frozenset()
    withdraws: bool = False


def fork(source: Run, wanted: Wanted, *, actor: Actor) -> tuple[Run, bool]:
    """Fork a run, or find the fork that this request has made already; True when it is new.

    Raises `ForkRefusedError`, `ForkMovedError` (something moved since `seen`), `StoppedError`.
    """
    if not hiding.said(wanted.reason).strip():
        raise IllegalMoveError("say why: a fork needs a reason")
    combo = _combo(source, wanted)
    tools = tuple(registry.graph_of(source.task_type).manifest.tools)
    under = Under(source.tenant_id, source.task_type, combo.pk, tools)
    boundary("fork:before")
    with transaction.atomic():
        stops.refuse_if_stopped("new_runs", under)
        locked = _locked(source)
        made = _made_before(locked, wanted)
        if made is not None:
            return made, False
        run = _fork(locked, combo, wanted, actor)
    boundary("fork:after")
    return run, True


def _combo(source: Run, wanted: Wanted) -> Combo:
    here = compatible.installed(source.task_type)
    combo = wanted.combo or here
    why_not = compatible.combo_why_not(combo, here) if combo else "This task does not run here."
    if combo is None or why_not:
        raise ForkRefusedError(why_not)
    return combo


def _locked(source: Run) -> Run:
    """The lock first, in a statement of its own; what is judged is read after it (rule 4)."""
    Run.objects.select_for_update().values_list("id").get(pk=source.pk)
    return Run.objects.select_related("tenant", "combo", "started_by").get(pk=source.pk)


def _made_before(source: Run, wanted: Wanted) -> Run | None:
    """The fork of this very request: whoever was killed after it asks again and gets it."""
    token = Fork.objects.filter(tenant=source.tenant, token=wanted.token)
    made = token.select_related("run").first()
    if made is not None and (made.source_id, made.seq) != (source.pk, wanted.seq):
        raise ForkRefusedError("this request has forked another checkpoint already")
    return made.run if made is not None else None


def _fork(source: Run, combo: Combo, wanted: Wanted, actor: Actor) -> Run:
    why_not = previews.source_why_not(source)
    if why_not:
        raise ForkRefusedError(why_not)
    copy, why_not = compatible.copied(source, wanted.seq)
    if copy is None:
        raise ForkRefusedError(f"checkpoint {wanted.seq}: {why_not}")
    preview = previews.preview(source, wanted.seq, combo, wanted.again, withdraws=wanted.withdraws)
    _refuse_unless_foreseen(preview.forecast, wanted)
    if wanted.seen and wanted.seen != preview.digest:
        raise ForkMovedError(str(previews.MOVED))
    if wanted.withdraws:
        withdrawing.withdraw(source, actor=actor)
    reason = knowing.words(hiding.said(wanted.reason), of=[source.pk])
    asked = Asked(combo, reason, wanted.token, tuple(sorted(wanted.again)))
    return forks.write(source, copy, asked, actor=actor)


def _refuse_unless_foreseen(forecast: Forecast, wanted: Wanted) -> None:
    if forecast.blocked:
        raise ForkRefusedError(str(previews.BLOCKED))
    again = {
        line.action_id
        for line in forecast.lines
        if line.kind == NEEDS_APPROVAL and line.action_id in wanted.again
    }
    if again != wanted.again:
        raise ForkRefusedError(
            "what is to be done again must have happened after that checkpoint, in this lineage"
        )
