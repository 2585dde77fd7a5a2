"""Starts the shadow of a live run: what was asked of that, asked of another combo, and sent nowhere."""

from uuid import UUID

from django.db import transaction

from canonical.redaction import ours
from checkpoints import events, stops, wakeups
from checkpoints.boundaries import boundary
from checkpoints.ids import uuid7
from checkpoints.models import Combo, Run, Twin
from checkpoints.registry import graph_of
from checkpoints.scopes import Under
from checkpoints.states import SHADOW_MODE
from tenants import audit
from tenants.actors import Actor
from tenants.keys import hiding

CHANNEL = "shadow"


def start(
    live: Run, combo: Combo, *, series: UUID, actor: Actor, dies_at: int | None = None
) -> Run | None:
    """Start the one twin of a live run in a series, due at once; None when there is one already.

    `dies_at` makes it a drill. Its effects have keys of its own (rule 5). Raises `StoppedError`,
    `UnknownTaskTypeError`.
    """
    graph = graph_of(live.task_type)
    under = Under(live.tenant_id, live.task_type, combo.pk, tuple(graph.manifest.tools))
    boundary("twin:before")
    with transaction.atomic():
        stops.refuse_if_stopped("new_runs", under)
        # The lock first: of two sweepers the second sees what the first has made (rule 4).
        Run.objects.select_for_update().values_list("id").get(pk=live.pk)
        if Twin.objects.filter(series=series, twin_of=live).exists():
            return None
        run = _run(live, combo, graph.start, actor)
        run.save(force_insert=True)
        Twin.objects.create(
            run=run, tenant_id=run.tenant_id, twin_of=live, series=series, dies_at=dies_at
        )
        _tell(run, live, actor)
    boundary("twin:after")
    return run


def _run(live: Run, combo: Combo, first: str, actor: Actor) -> Run:
    run_id = uuid7()
    return Run(
        id=run_id,
        effect_scope=run_id,
        tenant=live.tenant,
        task_type=live.task_type,
        combo=combo,
        mode=SHADOW_MODE,
        business_key=live.business_key,
        input=bytes(live.input),
        input_digest=bytes(live.input_digest),
        next_node=first,
        sentence="Waiting for a worker.",
        caller=actor.name,
        on_behalf_of=live.on_behalf_of,
        channel=CHANNEL,
        critical=live.critical,
    )


def _tell(run: Run, live: Run, actor: Actor) -> None:
    events.append(run.id, "started", actor, channel=hiding.text(CHANNEL), run=live.id)
    about, key = ours("run %(id)s", id=run.id), hiding.text(run.business_key)
    audit.record(run.tenant, actor, "started shadow", about, business_key=key, of=live.id)
    transaction.on_commit(lambda: wakeups.ring(run.id))
