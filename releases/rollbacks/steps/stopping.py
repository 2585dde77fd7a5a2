"""① No new run of the combo begins: whoever starts and the stop meet in one lock (rule 21)."""

from checkpoints.scopes import Lock, Scope
from reconciliation import stopping
from releases.rollbacks import holding
from releases.rollbacks.board import ROLLBACK
from releases.rollbacks.models import Rollback


def step(rollback: Rollback) -> str:
    """Stop new runs, then take in whatever had begun before that."""
    stop(rollback, "new_runs")
    holding.take_in(rollback)
    return ""


def keep_stopped(rollback: Rollback) -> None:
    """Both stops stand while a rollback is under way: one that somebody lifted is set again."""
    stop(rollback, "new_runs")
    stop(rollback, "effects")


def stop(rollback: Rollback, lock: Lock) -> None:
    """The stop of the combo at its tenant; twice is one stop."""
    column = "starts_stop" if lock == "new_runs" else "effects_stop"
    known = getattr(rollback, column)
    if known is not None and known.lifted_at is None:
        return
    where = Scope(rollback.tenant, combo=rollback.from_combo)
    why = f"rollback {rollback} of release {rollback.release.number}: {rollback.why}"
    made = stopping.stop(where, lock, why=why, actor=ROLLBACK)
    Rollback.objects.filter(pk=rollback.pk).update(**{column: made})
    setattr(rollback, column, made)
