"""A folder of declarations is the tools of an installation, or a sentence about the bad one."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from agents import declarations
from agents.tools.errors import BadDeclaration
from agents.tools.wire.reach import Reach
from reconciliation.tools import Capabilities
from tests.contract.conftest import WORLDS
from tests.contract.http_worlds import DECLARATIONS
from tests.ground import ROOT


def test_every_kind_is_made_from_its_file() -> None:
    made = {
        tool.name: tool.capabilities for tool in declarations.tools(str(DECLARATIONS), Reach({}))
    }
    assert made["kinto_refund"] == Capabilities(void=True, look_up=True)
    assert made["book_refund"] == Capabilities(void=True, look_up=True)
    assert made["store_receipt"] == Capabilities(void=True, look_up=True)
    assert made["kinto_note"] == Capabilities(look_up=True)
    assert made["restate_refund"].keyed


def test_no_folder_is_no_tools_and_a_wrong_one_is_said() -> None:
    assert declarations.tools("", Reach({})) == []
    with pytest.raises(BadDeclaration, match="no folder"):
        declarations.tools("/nowhere/at/all", Reach({}))


@pytest.mark.parametrize("content", ['{"kind":"soap"}', "[]", "{", '{"kind":"http"}'])
def test_one_bad_file_is_named(tmp_path: Path, content: str) -> None:
    (tmp_path / "bad.json").write_text(content, encoding="utf-8")
    with pytest.raises(BadDeclaration, match=r"bad\.json"):
        declarations.tools(str(tmp_path), Reach({}))


def test_two_tools_of_one_name_are_refused(tmp_path: Path) -> None:
    for name in ("a.json", "b.json"):
        shutil.copy(DECLARATIONS / "kinto_note.json", tmp_path / name)
    with pytest.raises(BadDeclaration, match="two files declare a tool kinto_note"):
        declarations.tools(str(tmp_path), Reach({}))


def test_the_client_for_stores_is_loaded_only_where_there_is_one() -> None:
    asks = "import sys, agents.declarations; sys.exit('boto3' in sys.modules)"
    subprocess.run([sys.executable, "-c", asks], cwd=ROOT, check=True)


def test_every_row_of_the_capability_table_has_a_real_member() -> None:
    real = {name: can for name, (_, can) in WORLDS.items() if not name.startswith("fake")}
    rows = {
        row: [name for name, can in real.items() if row in can]
        for row in ("void", "keyed", "look_up", "nothing")
    }
    assert {"git_push", "sql", "http_void", "objects"} <= set(rows["void"])
    assert rows["keyed"] == ["http_keyed"]
    assert "http_look_up" in rows["look_up"]
    assert rows["nothing"] == ["send_mail"]
