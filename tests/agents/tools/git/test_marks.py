"""A mark can be read back or is none of ours; no action id can reach another ref."""

from dataclasses import replace

import pytest

from agents.tools.deadline import Deadline
from agents.tools.git import marks
from agents.tools.git.errors import BadProposal, GitFailed
from agents.tools.git.process import Git
from agents.tools.git.scratch import scratch
from canonical.json import loads
from reconciliation.tools import Call
from tests.agents.tools.git.conftest import MakeCall


def written(call: Call, *, tombstone: bool) -> tuple[str, bytes]:
    with scratch(Git(Deadline(20))) as repository:
        if tombstone:
            name = marks.write_tombstone(repository, call.action_id, call.key)
        else:
            name = marks.write_attempt(repository, call)
        return name, repository.read("tag", name)


def test_an_attempt_reads_back_as_its_receipt(propose: MakeCall) -> None:
    call = propose()
    mark = marks.parse(written(call, tombstone=False)[1])
    assert not mark.is_tombstone
    assert mark.is_attempt_for(call.key)
    assert loads(mark.receipt("ship")) == {
        "action_id": call.action_id,
        "attempt_id": call.attempt_id,
        "key": call.key,
        "commit": call.parameters["commit"],
        "branch": "main",
        "remote": "ship",
    }


def test_every_call_leaves_another_object_and_every_void_the_same(propose: MakeCall) -> None:
    call = propose()
    assert written(call, tombstone=False)[0] != written(call, tombstone=False)[0]
    assert written(call, tombstone=True) == written(call, tombstone=True)
    assert marks.parse(written(call, tombstone=True)[1]).is_tombstone


@pytest.mark.parametrize(
    "tag",
    [
        b"",
        b"object x\n\nnot json",
        b"object x\n\n[]",
        b'object x\n\n{"action_id":"a"}',
        b'object x\n\n{"action_id":1,"key":"k","void":true}',
        b'object x\n\n{"action_id":"a","key":"k","key":"l","void":true}',
        b"object x\n\n\xff",
    ],
)
def test_what_is_not_ours_is_not_read(tag: bytes) -> None:
    assert marks.parse_or_none(tag) is None
    with pytest.raises(GitFailed):
        marks.parse(tag)


@pytest.mark.parametrize("action_id", ["", "../heads/main", "a/b", "a b", "a\n", "-a", "a" * 101])
def test_an_id_that_is_no_plain_name_has_no_place(propose: MakeCall, action_id: str) -> None:
    with pytest.raises(BadProposal):
        marks.ref_of(replace(propose(), action_id=action_id).action_id)
