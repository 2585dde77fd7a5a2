"""What would become of runs that were to move to another combo: told before anything does."""

from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from checkpoints import migrators, reading, registry, versions
from checkpoints.errors import RecordError, UnmigratableError
from checkpoints.models import Combo, Run
from execution import announcing, repinstanding, safetargets
from execution.context import NodeContext, sealed_state, visible
from execution.repinstanding import DECLINED, Standing
from execution.work import STATE_LIMIT_BYTES
from tenants.keys import vaults
from tenants.keys.errors import KeysError

MOST: Final = 10_000
AT_ONCE: Final = 2_000

ENDED: Final = "ended"
THERE_ALREADY: Final = "there_already"
IN_FLIGHT: Final = "in_flight"
FORWARD_ONLY: Final = "forward_only"
PINNED_BY_APPROVAL: Final = "pinned_by_approval"
DOWN_MIGRATOR: Final = "down_migrator"
SAME_SCHEMA: Final = "same_schema"
KINDS: Final = (
    ENDED,
    THERE_ALREADY,
    IN_FLIGHT,
    FORWARD_ONLY,
    PINNED_BY_APPROVAL,
    DOWN_MIGRATOR,
    SAME_SCHEMA,
)


@dataclass(frozen=True)
class Foreseen:
    """One run: `kind` is what would become of it, in the order in which `KINDS` are judged.

    `schema` is that of its head (None: nothing is committed), `reads` what the other combo reads
    (None: it does not say). `needs_own_code`: a worker of its present code has to take it once more
    before it moves; `is_manned`: one is alive. A held run that needs it moves after its case is decided.
    """

    run_id: UUID
    business_key: str
    status: str
    combo_id: int
    kind: str
    sentence: str
    head: int
    node: str
    schema: int | None
    reads: int | None
    action_id: UUID | None
    request_id: UUID | None
    is_held: bool
    needs_own_code: bool
    is_manned: bool


@dataclass(frozen=True)
class _Known:
    """What is the same for all of the runs: read once."""

    to: Combo
    combos: dict[int, Combo]
    newest: list[Combo]
    alive: set[str]
    here: set[int]

    @property
    def reads(self) -> int | None:
        return versions.of(self.to).state_schema


def forecast(runs: QuerySet[Run], to: Combo) -> list[Foreseen]:
    """What would become of these runs, the oldest first, at most `MOST`. Reads only.

    The number of queries grows with neither their number (but for one per `AT_ONCE`) nor their
    combos. Whether a migrator would take a state is not tried here: see `rehearse`.
    """
    ids = list(runs.order_by("pk").values_list("pk", flat=True)[:MOST])
    found: list[Standing] = []
    for at in range(0, len(ids), AT_ONCE):
        found += repinstanding.of(ids[at : at + AT_ONCE])
    known = _known(found, to)
    return [_foreseen(each, known) for each in found]


def rehearse(run: Run, to: Combo) -> str:
    """Why the migrators would not bring this run to what another combo reads; "" when they would.

    They run for real, and what they make is thrown away. Needs the code of the run's present combo.
    """
    said = versions.of(to)
    try:
        with vaults.bound(run.tenant_id) as vault:
            graph, loaded = registry.graph_of(run.task_type), reading.load_head(run)
            old = int(loaded.header.get("schema", said.state_schema or 0))
            if loaded.seq == 0 or said.state_schema in (None, old):
                return ""
            if not registry.runs_here(run.combo):
                return _("The code of its present combo is not here, so it cannot be tried.")
            new = said.state_schema
            reads = graph.at_schema(new, said.state_schemas.get(str(new)))
            opened = replace(loaded, state=vault.decrypted(loaded.state))
            state = migrators.migrate(reads, visible(opened.state), old, new)
            nowhere = NodeContext(run, opened, "(rehearsed)", loaded.seq + 1, {})
            sealed_state(state, nowhere, limit=STATE_LIMIT_BYTES)
    except (RecordError, KeysError, ValueError) as error:
        return str(error)
    return ""


def _known(found: list[Standing], to: Combo) -> _Known:
    combos = Combo.objects.in_bulk({each.combo_id for each in found})
    here = set(registry.of_this_code().filter(pk__in=combos).values_list("pk", flat=True))
    return _Known(to, combos, safetargets.candidates(to.task_type), announcing.alive(), here)


def _foreseen(run: Standing, known: _Known) -> Foreseen:
    combo = known.combos[run.combo_id]
    migrates = not run.reads_as(known.reads)
    kind, sentence = _kind(run, combo, known)
    return Foreseen(
        run_id=run.run_id,
        business_key=run.business_key,
        status=run.status,
        combo_id=run.combo_id,
        kind=kind,
        sentence=sentence,
        head=run.head,
        node=run.node,
        schema=run.schema,
        reads=known.reads,
        action_id=run.action_id,
        request_id=run.request_id,
        is_held=run.is_held,
        needs_own_code=kind == IN_FLIGHT
        or (migrates and kind in (PINNED_BY_APPROVAL, DOWN_MIGRATOR)),
        is_manned=announcing.code_of(combo) in known.alive,
    )


def _kind(run: Standing, combo: Combo, known: _Known) -> tuple[str, str]:
    told = {"was": run.schema, "reads": known.reads, "n": run.head, "node": run.node}
    if run.has_ended:
        return ENDED, _("It has ended.")
    if combo.pk == known.to.pk:
        return THERE_ALREADY, _("It is pinned to that combo already.")
    if run.is_out:
        return IN_FLIGHT, _out(run)
    migrates = not run.reads_as(known.reads)
    if migrates and not _has_path(run, combo, known):
        safe = safetargets.among(known.newest, combo, run.schema or 0, known.to)
        said = _(
            "It stands at checkpoint %(n)d, before %(node)s, in state schema %(was)d; that combo reads"
            " %(reads)d, and nothing leads back."
        )
        return FORWARD_ONLY, f"{said % told} {safe}"
    if run.proposal is not None:
        said = _("What it proposed is withdrawn, and proposed anew after: %(what)s.")
        return PINNED_BY_APPROVAL, said % {"what": run.describe}
    if migrates:
        said = _("A worker of its code brings its state from schema %(was)d to %(reads)d first.")
        return DOWN_MIGRATOR, said % told
    return SAME_SCHEMA, _("It goes on from where it stands.")


def _out(run: Standing) -> str:
    if run.request in DECLINED and not run.was_sent:
        said = _("People have answered what it proposed; it takes that in first: %(what)s.")
    elif run.effect_in_flight:
        said = _("An effect of it is out; what became of that is found out first: %(what)s.")
    else:
        said = _("It takes in what became of its effect first: %(what)s.")
    return said % {"what": run.describe}


def _has_path(run: Standing, combo: Combo, known: _Known) -> bool:
    """By what its combo says; of one that says nothing of migrators, by the code that is here."""
    was, reads = run.schema or 0, known.reads or 0
    if migrators.chain(versions.of(combo).migrators, was, reads) is not None:
        return True
    if combo.pk not in known.here:
        return False
    try:
        return bool(migrators.path(registry.graph_of(run.task_type), was, reads))
    except (UnmigratableError, RecordError):
        return False
