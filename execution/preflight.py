"""Before a deploy: which of the runs that are under way could the code that is here go on with?

Nothing is written. Whoever deploys runs it with the new code at the record of the old.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

import jsonschema
from django.db.models import QuerySet

from canonical import json as canonical
from checkpoints import schemas, states
from checkpoints.errors import RecordError
from checkpoints.models import Combo, Run
from checkpoints.registry import agents, graph_of, runs_here
from execution.plans.rehearsing import UnreadableError, rehearse
from reconciliation import ledger
from tenants.keys import vaults
from tenants.keys.errors import KeysError

MOST: Final = 100_000
AT_ONCE: Final = 200


@dataclass
class Preflight:
    """How many runs this code can go on with, and which it cannot, with the reason.

    Of those it can go on with, `pinned` counts by combo the ones that have other code: they are
    readable, and stay with workers of their own code until a rollback, a declared successor or a
    fork moves them. `blocked` counts the others of other code, which can only go on under theirs.
    """

    can: int = 0
    cannot: list[tuple[Run, str]] = field(default_factory=list)
    pinned: Counter[int] = field(default_factory=Counter)
    blocked: Counter[int] = field(default_factory=Counter)
    combos: dict[int, Combo] = field(default_factory=dict)

    @property
    def all(self) -> int:
        return self.can + len(self.cannot)


def look(runs: QuerySet[Run]) -> Preflight:
    """Judge those of the live runs that have not ended, at most `MOST`, the oldest first."""
    found, here = Preflight(), dict[int, bool]()
    live = runs.filter(status__in=states.LIVE, mode=states.LIVE_MODE)
    for run in _each(live):
        why = why_not(run)
        if why:
            found.cannot.append((run, why))
        else:
            found.can += 1
        if run.combo_id not in here:
            here[run.combo_id] = runs_here(run.combo)
        if not here[run.combo_id]:
            (found.blocked if why else found.pinned)[run.combo_id] += 1
            found.combos[run.combo_id] = run.combo
    return found


def why_not(run: Run) -> str:
    """Why this code cannot go on with a run; "" when it can."""
    try:
        rehearse(run)
        with vaults.bound(run.tenant_id) as vault:
            given = canonical.loads(vault.decrypted_bytes(bytes(run.input)))
        schemas.check(given, graph_of(run.task_type).manifest.input_schema)
    except jsonschema.ValidationError as error:
        return f"its input does not fit at {error.json_path}"
    except (UnreadableError, RecordError, KeysError, ValueError) as error:
        return str(error)
    return _tool_is_missing(run)


def _tool_is_missing(run: Run) -> str:
    """What a run has proposed is asked, sent and looked up with the tool that it named."""
    action = ledger.open_action(run.pk)
    if action is None or action.tool in agents().TOOLS:
        return ""
    return f"it has an open action of the tool {action.tool}, which this code does not have"


def _each(runs: QuerySet[Run]) -> Iterator[Run]:
    ids: list[UUID] = list(runs.order_by("pk").values_list("pk", flat=True)[:MOST])
    for some in (ids[at : at + AT_ONCE] for at in range(0, len(ids), AT_ONCE)):
        rows = Run.objects.select_related("tenant", "combo").in_bulk(some)
        yield from (rows[pk] for pk in some if pk in rows)
