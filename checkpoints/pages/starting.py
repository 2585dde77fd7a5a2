"""What the form that starts a run shows beside itself, and what it begins with."""

import json
from dataclasses import dataclass
from uuid import UUID

from canonical import redaction
from checkpoints.models import Run
from checkpoints.pages.forms import Draft
from checkpoints.registry import agents
from tenants.access import Access
from tenants.models import Tenant


@dataclass(frozen=True)
class Accepts:
    """What a task type accepts and promises, for a person who is about to start it."""

    name: str
    title: str
    schema: str
    promise: str
    source: str


def schemas() -> list[Accepts]:
    """Each task type with the schema of its input."""
    return [
        Accepts(
            name,
            graph.title,
            json.dumps(dict(graph.manifest.input_schema), indent=2, ensure_ascii=False),
            graph.manifest.succeeded_says,
            graph.manifest.input_source,
        )
        for name, graph in sorted(agents().GRAPHS.items())
    ]


def draft_like(tenant: Tenant, run_id: str, access: Access) -> Draft:
    """What an earlier run of this tenant was asked for; empty for any other id.

    Its input is taken over only for those who may read it, without what is encrypted in it.
    """
    try:
        wanted = UUID(run_id)
    except ValueError:
        return Draft()
    run = Run.objects.filter(tenant=tenant, pk=wanted).first()
    if run is None:
        return Draft()
    if not access.may(tenant.pk, "read_payloads"):
        return Draft(run.task_type)
    given = redaction.blanked(json.loads(bytes(run.input)))
    text = json.dumps(given, indent=2, ensure_ascii=False)
    return Draft(run.task_type, text, run.on_behalf_of)
