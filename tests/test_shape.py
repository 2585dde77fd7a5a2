"""The shape of the house: sizes, names and words that a linter does not check."""

import ast
import re
from pathlib import Path

import pytest
from django.template.loader import get_template

ROOT = Path(__file__).resolve().parent.parent
FLOORS = (
    "canonical",
    "tenants",
    "checkpoints",
    "approvals",
    "reconciliation",
    "execution",
    "releases",
    "agents",
    "config",
)
SOURCES = [path for floor in FLOORS for path in sorted((ROOT / floor).rglob("*.py"))]
MODULES = [path for path in SOURCES if "migrations" not in path.parts]
TESTS = sorted((ROOT / "tests").rglob("*.py"))
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
STYLES = sorted((ROOT / "static").rglob("*.css"))

LONGEST_FILE = 300
LONGEST_FUNCTION = 40
NO_SUBJECT = {"utils", "helpers", "services", "common", "core", "managers", "misc"}


def _name(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", [*MODULES, *TESTS, *STYLES], ids=_name)
def test_a_file_has_one_subject_and_fits_a_few_screens(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LONGEST_FILE


@pytest.mark.parametrize("path", MODULES, ids=_name)
def test_a_function_can_be_read_at_once(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    long = {
        node.name: node.end_lineno - node.lineno + 1
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.end_lineno is not None
        and node.end_lineno - node.lineno + 1 > LONGEST_FUNCTION
    }
    assert not long


@pytest.mark.parametrize("path", MODULES, ids=_name)
def test_a_module_says_what_it_is_for(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not text.strip() or ast.get_docstring(ast.parse(text))


@pytest.mark.parametrize("path", MODULES, ids=_name)
def test_no_module_is_named_after_nothing(path: Path) -> None:
    assert path.stem not in NO_SUBJECT
    assert not NO_SUBJECT & set(path.relative_to(ROOT).parts)


@pytest.mark.parametrize("path", TEMPLATES, ids=_name)
def test_a_template_compiles_and_has_no_inline_style_or_script(path: Path) -> None:
    get_template(str(path.relative_to(ROOT / "templates")))
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"\sstyle=|\son[a-z]+=|<style|<script(?![^>]*\ssrc=)", text)


def test_locks_name_no_address() -> None:
    for lock in ROOT.glob("requirements*.lock"):
        assert "://" not in lock.read_text(encoding="utf-8")


def test_nothing_is_unpickled_anywhere() -> None:
    for path in SOURCES:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names = {
            alias.name
            for node in ast.walk(tree)
            if isinstance(node, ast.Import | ast.ImportFrom)
            for alias in node.names
        }
        assert not names & {"pickle", "marshal", "shelve"}, _name(path)
