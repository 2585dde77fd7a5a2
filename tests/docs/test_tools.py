"""The examples of docs/TOOLS.md are declarations."""

import json
import re
from pathlib import Path

import pytest

from agents import declarations
from agents.tools.wire.reach import Reach
from reconciliation.tools import Capabilities
from tests.ground import ROOT

PAGE = (ROOT / "docs/TOOLS.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
CAN = {
    "desk_refund": Capabilities(look_up=True),
    "book_refund": Capabilities(void=True, look_up=True),
    "store_receipt": Capabilities(void=True, look_up=True),
}


@pytest.mark.parametrize("example", EXAMPLES, ids=[json.loads(each)["name"] for each in EXAMPLES])
def test_an_example_can_be_used_as_it_is(example: str, tmp_path: Path) -> None:
    path = tmp_path / "example.json"
    path.write_text(example, encoding="utf-8")
    tool = declarations.tool(path, Reach({}))
    assert tool.capabilities == CAN[tool.name]


def test_there_is_one_for_every_kind() -> None:
    assert {json.loads(each)["kind"] for each in EXAMPLES} == set(declarations.KINDS)
