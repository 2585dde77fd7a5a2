"""From a proposed effect to the question people are asked: dry run, what it binds, who may answer."""

from typing import Any

from approvals.hashing import Bound, diff_digest
from approvals.people import satisfying
from approvals.requests import Question
from approvals.rules import Deny, Requirement
from approvals.showing import agreeing
from approvals.showing.values import Content
from canonical import digests
from checkpoints import rungs
from reconciliation import demands, repeats, sensitive
from reconciliation.calls import call_for, tool_of
from reconciliation.demands import Demand
from reconciliation.errors import AboveRungError, ForbiddenEffectError
from reconciliation.models import Action
from reconciliation.tools import DryRun, Tool
from reconciliation.toolschema import meaning
from tenants.database import together
from tenants.keys import vaults

Json = Any


def question(action: Action, needs: str = rungs.DRY_RUN) -> Question:
    """Dry-run the action now and make the question of it. Changes nothing anywhere.

    Raises `AboveRungError` when its combo stands below the rung that it `needs`, before the tool is
    asked anything; `ForbiddenEffectError` when the rules of its combo deny it; and whatever the tool
    raises when its credential does not work or it cannot say what would change. Then nobody is
    asked and nothing is sent.
    """
    refuse_above_rung(action, needs)
    tool, call = tool_of(action), call_for(action)
    tool.check_credential(call.tenant)
    with vaults.bound(action.tenant_id) as vault:
        dry = sensitive.shown(tool.dry_run(call), vault)
    demand = demands.of(action, diff=dry.diff, media=dry.media)
    requirement = _requirement(demand)
    if agreeing.of(Content.of(dry.diff), dry.media) is not None:
        requirement = requirement.by_people()  # no rule passes what is at odds with itself
    before = repeats.sent_before(action)
    return Question(
        bound=_bound(action, dry, demand.document),
        parameters=bytes(action.parameters),
        diff=dry.diff,
        media=dry.media,
        summary=(*repeats.lines(before), *dry.summary),
        describe=action.describe,
        target=action.target,
        magnitude=action.magnitude,
        requirement=repeats.by_people(requirement, before),
    )


def refuse_above_rung(action: Action, needed: str) -> None:
    """Raises `AboveRungError` when the combo of its run does not stand so high with its tool."""
    combo = action.run.combo
    stands = rungs.of(action.tenant_id, combo.pk, action.tool)
    if not rungs.reaches(stands, needed):
        raise AboveRungError(
            f"the combo {combo} stands on the rung “{stands}” of {action.tool}, and this takes “{needed}”"
        )


def schema_digest(tool: Tool) -> str:
    """Digest of what a tool takes and gives, and of its version; words for people do not count."""
    schemas = [meaning(dict(each)) for each in (tool.parameters_schema, tool.receipt_schema)]
    return digests.tagged("tool-schema", [tool.name, tool.version, *schemas])


def _requirement(demand: Demand) -> Requirement:
    found = demand.now(together(demand.looking()))
    if isinstance(found, Deny):
        raise ForbiddenEffectError(found.reason)
    impossible = satisfying.impossible(found, demand.action.run)
    if impossible:
        raise ForbiddenEffectError(impossible)
    return found


def _bound(action: Action, dry: DryRun, document: Json) -> Bound:
    tool = tool_of(action)
    return Bound(
        tenant=action.tenant_id,
        run_id=str(action.run_id),
        action_id=str(action.id),
        tool=action.tool,
        tool_schema_digest=schema_digest(tool),
        acting_credential=tool.acting_credential,
        parameters_digest=bytes(action.parameters_digest).hex(),
        rules_version=digests.tagged("rules", document),
        resources=dict(dry.resources),
        diff_digest=diff_digest(dry.diff, dry.media, tool.volatile),
        volatile=tuple(tool.volatile),
        volatile_version=tool.volatile_version,
    )
