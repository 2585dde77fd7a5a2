"""From a proposed effect to the question people are asked: dry run, what it binds, who may answer."""

from typing import Any

from approvals import rules
from approvals.hashing import Bound, diff_digest
from approvals.people import reversibility, satisfying
from approvals.requests import Question
from approvals.rules import Deny, Effect, Requirement
from approvals.showing import agreeing
from approvals.showing.values import Content
from canonical import digests
from canonical import json as canonical
from checkpoints.models import Combo
from reconciliation import sensitive, sums
from reconciliation.calls import call_for, tool_of
from reconciliation.errors import ForbiddenEffectError
from reconciliation.models import Action
from reconciliation.tools import DryRun, Tool
from reconciliation.toolschema import meaning
from tenants.keys import vaults

Json = Any


def question(action: Action) -> Question:
    """Dry-run the action now and make the question of it. Changes nothing anywhere.

    Raises `ForbiddenEffectError` when the rules of its combo deny it, and whatever the tool
    raises when it cannot say what would change: then nobody is asked and nothing is sent.
    """
    document = rules_of(action.run.combo)
    with vaults.bound(action.tenant_id) as vault:
        dry = sensitive.shown(tool_of(action).dry_run(call_for(action)), vault)
    requirement = _requirement(action, dry, document)
    if agreeing.of(Content.of(dry.diff), dry.media) is not None:
        requirement = requirement.by_people()  # no rule passes what is at odds with itself
    return Question(
        bound=_bound(action, dry, document),
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
    """Digest of what a tool takes and gives, and of its version; words for people do not count."""
    schemas = [meaning(dict(each)) for each in (tool.parameters_schema, tool.receipt_schema)]
    return digests.tagged("tool-schema", [tool.name, tool.version, *schemas])


def rules_of(combo: Combo) -> Json:
    """The rules document that a combo carries; None, which denies everything, when it has none."""
    return canonical.loads_object(combo.manifest).get("rules")


def _requirement(action: Action, dry: DryRun, document: Json) -> Requirement:
    found = rules.evaluate(document, _effect(action, dry, document))
    if isinstance(found, Deny):
        raise ForbiddenEffectError(found.reason)
    impossible = satisfying.impossible(found, action.run)
    if impossible:
        raise ForbiddenEffectError(impossible)
    return found


def _effect(action: Action, dry: DryRun, document: Json) -> Effect:
    windows = rules.sums_needed(document, tool=action.tool, tenant=action.tenant.slug)
    return Effect(
        tool=action.tool,
        tenant=action.tenant.slug,
        target=action.target,
        magnitude=action.magnitude,
        # In the clear: a condition on what is secret must not pass because it cannot be read.
        parameters=canonical.loads(sensitive.parameters(action)),
        diff_bytes=len(dry.diff),
        diff_files=_files(dry),
        sums=sums.of_windows(
            windows, tenant_id=action.tenant_id, tool=action.tool, action_id=action.id
        ),
        reversibility=reversibility.class_of(action.tenant_id, action.tool),
    )


def _files(dry: DryRun) -> int | None:
    """How many files a diff of git is about; None for what has none to count."""
    if dry.media != "text/x-diff":
        return None
    count = (b"\n" + dry.diff).count(b"\ndiff --git ")
    return count if count or not dry.diff else None


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
