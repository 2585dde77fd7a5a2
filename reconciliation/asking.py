"""From a proposed effect to the question people are asked: dry run, what it binds, who may answer."""

from typing import Any

from approvals import rules
from approvals.hashing import Bound, diff_digest
from approvals.requests import Question
from approvals.rules import Deny, Requirement
from canonical import digests
from canonical import json as canonical
from checkpoints.models import Combo
from reconciliation.calls import call_for, tool_of
from reconciliation.errors import ForbiddenEffectError
from reconciliation.models import Action
from reconciliation.tools import DryRun, Tool


def question(action: Action) -> Question:
    """Dry-run the action now and make the question of it. Changes nothing anywhere.

    Raises `ForbiddenEffectError` when the rules of its combo deny it, and whatever the tool
    raises when it cannot say what would change: then nobody is asked and nothing is sent.
    """
    requirement = _requirement(action)
    dry = tool_of(action).dry_run(call_for(action))
    return Question(
        bound=_bound(action, dry),
        parameters=bytes(action.parameters),
        diff=dry.diff,
        media=dry.media,
        summary=tuple(dry.summary),
        describe=action.describe,
        target=action.target,
        magnitude=action.magnitude,
        requirement=requirement,
    )


def schema_digest(tool: Tool) -> str:
    """Digest of what a tool takes and gives, and of its version."""
    return digests.tagged(
        "tool-schema",
        [tool.name, tool.version, dict(tool.parameters_schema), dict(tool.receipt_schema)],
    )


def rules_of(combo: Combo) -> Any:
    """The rules document that a combo carries; None, which denies everything, when it has none."""
    return canonical.loads_object(combo.manifest).get("rules")


def _requirement(action: Action) -> Requirement:
    found = rules.evaluate(
        rules_of(action.run.combo),
        tool=action.tool,
        target=action.target,
        magnitude=action.magnitude,
    )
    if isinstance(found, Deny):
        raise ForbiddenEffectError(found.reason)
    return found


def _bound(action: Action, dry: DryRun) -> Bound:
    tool = tool_of(action)
    return Bound(
        tenant=action.tenant_id,
        run_id=str(action.run_id),
        action_id=str(action.id),
        tool=action.tool,
        tool_schema_digest=schema_digest(tool),
        acting_credential=tool.acting_credential,
        parameters_digest=bytes(action.parameters_digest).hex(),
        rules_version=digests.tagged("rules", rules_of(action.run.combo)),
        resources=dict(dry.resources),
        diff_digest=diff_digest(dry.diff, dry.media, tool.volatile),
        volatile=tuple(tool.volatile),
        volatile_version=tool.volatile_version,
    )
