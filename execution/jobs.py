"""The RQ job: "look at this run". The run id is a hint; PostgreSQL says which run is due."""

from uuid import UUID, uuid4

from checkpoints import traces
from execution import horse

# Set by the worker before it forks, so that it knows whose leases to give away.
holder: UUID | None = None


def look_at(run_id: str) -> None:  # noqa: ARG001 - a hint, and nothing else
    """Take turns with whatever is due."""
    try:
        horse.take_turns(holder or uuid4())
    finally:
        traces.port.end()
