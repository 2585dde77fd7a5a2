"""What is told of runs, turns and leases, and nothing more: ids, names of ours, classes of errors."""

import hashlib
from collections.abc import Mapping
from datetime import datetime
from uuid import UUID

from opentelemetry.trace import Status, StatusCode
from opentelemetry.trace.span import Span as OtelSpan

from checkpoints.models import Run
from execution.errors import Finish, Hold, Suspend, TryLater
from tenants.keys import hiding

Attributes = Mapping[str, str | int]


def about(run: Run) -> Attributes:
    """Which run it is, by ids and names of ours: its business key may be somebody's name."""
    return {
        "kedge.run.id": str(run.id),
        "kedge.task_type": run.task_type,
        "kedge.tenant": run.tenant.slug,
        "kedge.combo": run.combo.hex[:12],
        "kedge.mode": run.mode,
    }


def told(attributes: Attributes) -> dict[str, str | int]:
    """As they may leave: what this turn knows to be sensitive is a mark, wherever it turns up."""
    return {
        name: str(hiding.text(value)) if isinstance(value, str) else value
        for name, value in attributes.items()
    }


def how_words(how: object) -> str:
    if isinstance(how, Finish):
        return f"{how.status}: {how.stop_reason}"
    if isinstance(how, Hold):
        return f"held: {how.trouble.kind}"
    if isinstance(how, Suspend):
        return f"waits: {how.reason}"
    return "tried again later" if isinstance(how, TryLater) else "made room"


def failed(span: OtelSpan, kind: str) -> None:
    """The class of what went wrong; never its words, which quote what it met."""
    span.set_attribute("error.type", kind)
    span.set_status(Status(StatusCode.ERROR))


def span_id_of(run_id: UUID, fence: int = 0) -> int:
    """The id of the span of a lease; of the whole run without one."""
    return int.from_bytes(hashlib.sha256(run_id.bytes + fence.to_bytes(8)).digest()[:8]) or 1


def nanoseconds(at: datetime) -> int:
    """As OpenTelemetry counts time."""
    return int(at.timestamp() * 1_000_000) * 1_000
