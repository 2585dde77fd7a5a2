"""Makes the `Call` a tool is handed: the approved bytes in the clear, names, and time left."""

from collections.abc import Mapping
from functools import partial
from uuid import UUID, uuid4

from canonical import json as canonical
from checkpoints import blobs
from checkpoints.registry import agents
from reconciliation import sensitive
from reconciliation.models import Action, Attempt
from reconciliation.tools import Call, Capabilities, Tool, Wording


def tool_of(action: Action) -> Tool:
    """The tool that an action names."""
    tool: Tool = agents().TOOLS[action.tool]
    return tool


def wordings() -> Mapping[str, Wording]:
    """What the agents say is words for people in a tool's parameters, by tool; some may be left out."""
    found: Mapping[str, Wording] = getattr(agents(), "WORDINGS", {})
    return found


def capabilities(action: Action) -> Capabilities:
    """What the tool can do for this very target (a remote without `atomic` can do less)."""
    content = sensitive.parameters(action)
    return tool_of(action).capabilities_for(action.tenant.slug, canonical.loads_object(content))


def call_for(
    action: Action, attempt: Attempt | None = None, *, seconds_left: float | None = None
) -> Call:
    """The call of an attempt; without one, as for a dry run, the attempt id is a fresh one.

    `seconds_left` is what the call may still take when its clock runs already.
    """
    attempt_id: UUID = attempt.id if attempt is not None else uuid4()
    content = sensitive.parameters(action)
    budget = tool_of(action).budget_seconds
    return Call(
        action_id=str(action.id),
        attempt_id=str(attempt_id),
        key=bytes(action.key).hex(),
        tenant=action.tenant.slug,
        parameters=canonical.loads_object(content),
        parameter_bytes=content,
        budget_seconds=budget if seconds_left is None else min(budget, seconds_left),
        read_blob=partial(blobs.get, action.tenant_id),
    )
