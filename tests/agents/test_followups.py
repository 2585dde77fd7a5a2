"""What follows an effect: which task type, and whom it writes to about what."""

from typing import Any

import pytest

from agents import registry
from agents.tools.mail import schemas as mail
from checkpoints import schemas
from checkpoints.graph import HAPPENED, Proposal, Result
from reconciliation.tools import CannotFollow, Followed
from tests.agents.context import MemoryContext, walk

ACTION = "00000000-0000-4000-8000-000000000007"
PUSHED = {"remote": "lib", "branch": "main", "commit": "a" * 40}
MAILED = {"to": "noor@example.org", "subject": "lib: ruff UP pushed to main", "body": "…"}


def followed(parameters: dict[str, Any], given: dict[str, Any]) -> Followed:
    return Followed(
        ACTION, "acme", given, parameters, None, "wrong", "We are sorry.\nIt is undone."
    )


def content(tool: str, about: Followed) -> dict[str, Any]:
    """The input of the run that follows, which its task type takes."""
    how = registry.FOLLOW_UPS[tool]
    made = how.input_of(about)
    schemas.check(made, registry.GRAPHS[how.task_type].manifest.input_schema)
    return made


def happens(_node: str, proposal: Proposal) -> Result:
    schemas.check(proposal.parameters, mail.PARAMETERS)
    return Result(HAPPENED, "a2")


def test_a_push_is_told_to_the_maintainer_its_run_knew() -> None:
    given = content("git_push", followed(PUSHED, {"maintainer": "noor@example.org"}))
    walked = walk(registry.GRAPHS["write_again"], MemoryContext(given), happens)
    ((node, proposal),) = walked.proposals
    assert (node, proposal.tool) == ("mail", "send_mail")
    assert proposal.parameters["to"] == "noor@example.org"
    assert proposal.parameters["subject"] == "About commit aaaaaaaaaaaa in lib"
    assert proposal.parameters["body"].startswith("We are sorry.\nIt is undone.\n")
    assert ACTION in proposal.parameters["body"]
    assert walked.state == {"mailed": {"action_id": "a2"}}


def test_a_mail_is_followed_by_another_to_the_same_address() -> None:
    given = content("send_mail", followed(MAILED, {}))
    assert given["to"] == "noor@example.org"
    assert given["subject"] == "About our mail: lib: ruff UP pushed to main"


def test_a_long_subject_is_cut_and_never_refused() -> None:
    assert (
        len(content("send_mail", followed({**MAILED, "subject": "x" * 500}, {}))["subject"]) == 200
    )


def test_a_refund_is_told_to_whom_the_ticket_names() -> None:
    given = content("book_refund", followed({"ticket": "7", "cents": 1}, {}))
    assert given == {
        "action_id": ACTION,
        "ticket": "7",
        "say": "We are sorry.\nIt is undone.",
    }


@pytest.mark.parametrize("given", [{}, {"maintainer": {"$mark": "personal"}}])
def test_nobody_is_written_to_when_there_is_no_address(given: dict[str, Any]) -> None:
    with pytest.raises(CannotFollow):
        content("git_push", followed(PUSHED, given))
