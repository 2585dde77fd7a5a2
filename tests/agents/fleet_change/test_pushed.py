"""A fleet change of a real repository, pushed by the real tool: what arrives is what was built."""

from pathlib import Path
from uuid import uuid4

import jsonschema
from pytest_django import Settings

from agents import fleet, gitobjects
from agents.fleet_change import changes, log
from agents.fleet_change.graph import GRAPH
from agents.fleet_change.reading import present_head
from agents.registry import TOOLS
from agents.remotes import BRANCH, remote_url
from canonical import json as canonical
from checkpoints.graph import HAPPENED, Proposal, Result
from reconciliation.tools import Call
from tests.agents.context import MemoryContext, walk

SOURCE = "git:aiosmtpd#main"


def call(context: MemoryContext, proposal: Proposal) -> Call:
    return Call(
        action_id=str(uuid4()),
        attempt_id=str(uuid4()),
        key="ab" * 32,
        tenant=context.tenant,
        parameters=proposal.parameters,
        parameter_bytes=canonical.dumps(proposal.parameters),
        budget_seconds=30,
        read_blob=context.get,
    )


def test_a_real_repository_is_changed_pushed_and_told(
    own_remotes: Path, settings: Settings
) -> None:
    settings.KEDGE_MODEL_URL = ""
    given = next(run.input for run in fleet.campaign() if run.input["repository"] == "aiosmtpd")
    context, remote = MemoryContext(given), remote_url("acme", "aiosmtpd")
    before = gitobjects.head(remote, BRANCH)
    assert before
    looked: list[str | None] = []

    def answer(node: str, proposal: Proposal) -> Result:
        tool = TOOLS[proposal.tool]
        jsonschema.validate(proposal.parameters, tool.parameters_schema)
        asked = call(context, proposal)
        shown = tool.dry_run(asked).diff
        if node == "push":
            looked.append(present_head(SOURCE, context))
            tool.perform(asked)
            looked.append(present_head(SOURCE, context))
            assert shown.count(b"\ndiff --git ") + 1 == proposal.parameters["change"]["files"]
        return Result(HAPPENED, asked.action_id)

    walked = walk(GRAPH, context, answer)
    after = gitobjects.head(remote, BRANCH)
    assert after == walked.state["pushed"]["commit"] == context.seen[SOURCE]
    assert looked == [before, before]
    assert gitobjects.commit(remote, after).parent == before
    assert walked.nodes.count("change_file") == walked.state["total"] == 30
    _assert_every_file_is_as_the_rule_makes_it(context, remote, before, after)


def _assert_every_file_is_as_the_rule_makes_it(
    context: MemoryContext, remote: str, before: str, after: str
) -> None:
    old = {file.path: file.blob for file in gitobjects.files(remote, before, "")}
    new = {file.path: file.blob for file in gitobjects.files(remote, after, "")}
    changed = {line["path"] for line in log.changed_files(context.chains["log"])}
    assert {path for path in old if new[path] != old[path]} == changed
    for path in changed:
        wanted = changes.change(context.input["rule"], path, gitobjects.blob(remote, old[path]))
        assert gitobjects.blob(remote, new[path]) == wanted.content
