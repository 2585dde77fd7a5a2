"""Onto which combos, and from which checkpoints, a run can be forked; the others with the reason."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.utils.translation import gettext as _

from checkpoints import forks, migrators, reading, registry
from checkpoints.errors import (
    DamagedRecordError,
    UnknownTaskTypeError,
    UnmigratableError,
)
from checkpoints.graph import END
from checkpoints.models import Checkpoint, Combo, Run
from checkpoints.reading import Loaded
from tenants.keys.errors import KeysError

MOST_COMBOS: Final = 10
MOST_CHECKPOINTS: Final = 12
# What reading may raise of a record that is not what was committed.
DAMAGE: Final = (DamagedRecordError, KeysError, ValueError, LookupError, TypeError)


@dataclass(frozen=True)
class Onto:
    """A combo; `why_not` says why no run can be forked onto it here, "" when one can."""

    combo: Combo
    why_not: str
    is_own: bool

    @property
    def name(self) -> str:
        return str(self.combo)

    @property
    def digest(self) -> str:
        """In hex: how a form names it."""
        return self.combo.hex


@dataclass(frozen=True)
class From:
    """A checkpoint (0: the start); `why_not` says why no run can be forked from it, "" when one can."""

    seq: int
    node: str
    next_node: str
    at: datetime | None
    why_not: str


def combos(run: Run) -> list[Onto]:
    """The newest combos of a run's task type and its own: those that can be chosen first."""
    here = installed(run.task_type)
    newest = Combo.objects.filter(task_type=run.task_type).order_by("-pk")[:MOST_COMBOS]
    listed = {combo.pk: combo for combo in [*newest, run.combo]}
    found = [
        Onto(combo, combo_why_not(combo, here), combo.pk == run.combo_id)
        for combo in listed.values()
    ]
    return sorted(found, key=lambda onto: (bool(onto.why_not), -onto.combo.pk))


def checkpoints(run: Run, *, named: int | None = None) -> list[From]:
    """The newest checkpoints, the one named and the start: each read back and verified now."""
    first = max(1, run.head - MOST_CHECKPOINTS + 1)
    wanted = set(range(first, run.head + 1)) | {0}
    if named is not None and 0 <= named <= run.head:
        wanted.add(named)
    rows = Checkpoint.objects.filter(run_id=run.pk, seq__in=wanted)
    known = {row.seq: row for row in rows.only("run_id", "seq", "node", "next_node", "at")}
    return [_from(run, seq, known.get(seq)) for seq in sorted(wanted, reverse=True)]


def installed(task_type: str) -> Combo | None:
    """The combo that the code of this installation makes; None when it runs no such task."""
    try:
        return registry.combo_of(task_type)
    except UnknownTaskTypeError:
        return None


def combo_why_not(combo: Combo, here: Combo | None) -> str:
    """Why no run can be forked onto a combo here; "" when one can."""
    if here is None:
        return _("This installation does not run this task any more.")
    if combo.task_type != here.task_type:
        return _("It is of another task.")
    if bytes(combo.code_part) != bytes(here.code_part):
        return _("Its code is not installed here, so no worker would take it up.")
    return ""


def checkpoint_why_not(run: Run, seq: int) -> str:
    """Why a run cannot be forked from a checkpoint by the code that is here; "" when it can."""
    try:
        return _loaded_why_not(run, reading.load(run, seq))
    except DAMAGE as error:
        return _("It is not what was committed: %(why)s") % {"why": error}


def copied(run: Run, seq: int) -> tuple[forks.Copied | None, str]:
    """The copy that a fork begins with, whole lists and all; None, and why there is none."""
    try:
        copy = forks.copied(run, seq)
        why = _loaded_why_not(run, copy.loaded)
    except DAMAGE as error:
        return None, _("It is not what was committed: %(why)s") % {"why": error}
    return (None if why else copy), why


def _from(run: Run, seq: int, row: Checkpoint | None) -> From:
    why_not = checkpoint_why_not(run, seq)
    if row is None:
        return From(seq, "", "", None, why_not)
    return From(seq, row.node, row.next_node, row.at, why_not)


def _loaded_why_not(run: Run, loaded: Loaded) -> str:
    if loaded.seq == 0:
        return ""
    graph = registry.graph_of(run.task_type)
    if loaded.header.get("stop"):
        return _("The run had come to its end there.")
    if loaded.next_node != END and loaded.next_node not in graph.nodes:
        return _("The code that is here has no node %(node)s.") % {"node": loaded.next_node}
    schema = int(loaded.header.get("schema", graph.state_schema))
    try:
        migrators.path(graph, schema, graph.state_schema)
    except UnmigratableError as error:
        return str(error)
    return ""
