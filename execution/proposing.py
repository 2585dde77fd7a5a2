"""Proposing: what a node wants is checked, frozen to the byte, and committed before anything else."""

from typing import Any
from uuid import UUID, uuid4

import jsonschema

from canonical import digests
from canonical import json as canonical
from checkpoints import schemas, states
from checkpoints.cases import Trouble
from checkpoints.commits import Committed, Lease
from checkpoints.graph import Forbidden, Node, Proposal
from checkpoints.headers import PROPOSED, Ancestry, Step
from checkpoints.registry import agents
from execution.context import NodeContext, visible
from execution.errors import Finish, Hold
from execution.forks import keys, reusing
from execution.nodes import guarded
from execution.work import STATE_LIMIT_BYTES, Work
from reconciliation import asking, ledger, sensitive
from reconciliation import states as world
from reconciliation.models import Action
from reconciliation.tools import Magnitude, Tool
from tenants.keys import hiding, vaults
from tenants.keys.errors import EncryptionRefusedError
from tenants.keys.vaults import Vault


def propose(work: Work) -> tuple[Action, NodeContext] | None:
    """Let the node propose, freeze the exact bytes, and commit the proposal.

    When another run of the lineage has this effect nothing is committed: that effect comes back,
    with what the node left in its context.
    """
    node, context = work.node, work.context()
    proposal = guarded(work, node, lambda: node.propose(visible(work.loaded.state), context))  # type: ignore[misc]
    action = _frozen(work, node, proposal)
    earlier = keys.holder(action)
    if earlier is not None and keys.differs(action, earlier):
        raise reusing.other_parameters(node, action, earlier)
    if earlier is not None and earlier.run_id != work.run.id:
        return earlier, context
    stands_for = earlier or action
    step = work.step(
        context,
        visible(work.loaded.state),
        node.name,
        proposes=True,
        actions=(ledger.mark(stands_for, PROPOSED),),
    )

    def through(lease: Lease, before: Ancestry, step: Step) -> Committed:
        verb = ledger.repropose if earlier else ledger.propose
        return verb(lease, before, step, stands_for)

    reusing.unless_taken(lambda: work.commit(step, through=through))
    return None


def _frozen(work: Work, node: Node, proposal: object) -> Action:
    if not isinstance(proposal, Proposal):
        raise Hold(_bad(node, f"it proposed a {type(proposal).__name__}, not a Proposal"))
    if proposal.tool not in work.graph.manifest.tools or proposal.tool not in agents().TOOLS:
        raise Hold(_bad(node, f"the tool {proposal.tool!r} is not one of this task type"))
    tool: Tool = agents().TOOLS[proposal.tool]
    vault = vaults.vault_of(work.run.tenant_id)
    content, parameters = _checked(node, tool, proposal, vault)
    _refuse_overflow(work, tool)
    magnitude = tool.magnitude(parameters)
    target = tool.target(parameters)
    for forbidden in work.graph.manifest.forbidden:
        if _forbids(forbidden, proposal.tool, target, magnitude):
            said = f"{node.name} proposed {tool.describe(parameters)}, which its manifest forbids"
            raise Finish(states.FAILED, states.FORBIDDEN_EFFECT, f"{said}; nothing was sent.")
    ordinal = int(work.loaded.header.get("proposals", {}).get(node.name, 0)) + 1
    key = ledger.ledger_key(work.run, node=node.name, ordinal=ordinal)
    return Action(
        id=uuid4(),
        tenant=work.run.tenant,
        run=work.run,
        mode=work.run.mode,
        node=node.name,
        ordinal=ordinal,
        key=bytes.fromhex(key),
        tool=proposal.tool,
        tool_schema_digest=asking.schema_digest(tool),
        acting_credential=tool.acting_credential,
        describe=str(vault.known.text(tool.describe(parameters))),
        target=str(vault.known.text(target)),
        magnitude=magnitude.as_json(),
        parameters=content,
        parameters_digest=bytes.fromhex(digests.sha256_hex(content)),
        compensates_id=_compensated(work, node, proposal),
    )


def _checked(
    node: Node, tool: Tool, proposal: Proposal, vault: Vault
) -> tuple[bytes, dict[str, Any]]:
    """The parameters as they are frozen, encrypted where their schema says so, and in the clear."""
    try:
        content, parameters = canonical.normal(proposal.parameters, limit=STATE_LIMIT_BYTES)
        schemas.check(parameters, tool.parameters_schema)
        content = sensitive.frozen(tool, content, vault)
    except EncryptionRefusedError as error:
        said = f"the parameters for {proposal.tool} cannot be kept: {error}"
        raise Hold(_bad(node, said)) from error
    except (canonical.CanonicalError, jsonschema.ValidationError) as error:
        said = error.message if isinstance(error, jsonschema.ValidationError) else str(error)
        raise Hold(_bad(node, f"the parameters for {proposal.tool} are refused: {said}")) from error
    assert isinstance(parameters, dict)  # noqa: S101 - its schema says object
    return content, parameters


def _compensated(work: Work, node: Node, proposal: Proposal) -> UUID | None:
    """The action it undoes: of the same tenant, and one that happened."""
    if not proposal.compensates:
        return None
    undone = Action.objects.filter(
        pk=proposal.compensates, tenant=work.run.tenant, outcome=world.HAPPENED
    ).first()
    if undone is None:
        said = f"there is no action {proposal.compensates} that happened and could be undone"
        raise Hold(_bad(node, said))
    # Nobody is told of an effect that a shadow undoes it.
    return undone.pk if work.run.mode == states.LIVE_MODE else None


def _refuse_overflow(work: Work, tool: Tool) -> None:
    """Refused before the effect: a receipt that would not fit is an answer thrown away (rule 16)."""
    size = len(canonical.dumps(work.loaded.state))
    if size + tool.largest_receipt_bytes > STATE_LIMIT_BYTES:
        said = (
            f"the state has {size} bytes and a receipt of {tool.name} up to "
            f"{tool.largest_receipt_bytes}; the limit is {STATE_LIMIT_BYTES}"
        )
        raise Hold(_bad(work.node, said))


def _forbids(rule: Forbidden, tool: str, target: str, magnitude: Magnitude) -> bool:
    if rule.tool and rule.tool != tool:
        return False
    if rule.target_prefix and not target.startswith(rule.target_prefix):
        return False
    if rule.magnitude_over is not None:
        name, most = rule.magnitude_over
        return int(getattr(magnitude, name)) > most
    return True


def _bad(node: Node, said: str) -> Trouble:
    facts = {"error": hiding.text(said).first(500), "node": hiding.text(node.name)}
    sentence = hiding.text(f"The node {node.name} cannot go on: {said}")
    return Trouble(states.INVALID_OUTPUT, sentence, facts)
