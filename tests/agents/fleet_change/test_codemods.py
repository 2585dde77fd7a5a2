"""Codemods on real files: what they mean to change changes, and not a byte more."""

import ast
from collections.abc import Iterator
from importlib.metadata import distribution

import pytest

from agents.fleet_change.codemods import CODEMODS, explicit_encoding, logger_warning


def sources(name: str) -> Iterator[tuple[str, bytes]]:
    for file in distribution(name).files or []:
        if file.suffix == ".py":
            yield str(file), file.read_binary()


def without_encoding(tree: ast.AST) -> str:
    """The tree with `encoding="utf-8"` taken out of every call of `open`."""
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "open":
            call.keywords = [
                word for word in call.keywords
                if not (word.arg == "encoding" and ast.unparse(word.value) == "'utf-8'")
            ]  # fmt: skip
    return ast.dump(tree)


@pytest.mark.parametrize("name", ["supervisor", "gunicorn", "jsonschema"])
def test_explicit_encoding_changes_nothing_else_in_real_code(name: str) -> None:
    changed = 0
    for path, before in sources(name):
        after = explicit_encoding(before)
        if after == before:
            continue
        changed += 1
        assert without_encoding(ast.parse(before)) == without_encoding(ast.parse(after)), path
        inserted = b', encoding="utf-8"'
        assert before.replace(inserted, b"") == after.replace(inserted, b""), path
        assert explicit_encoding(after) == after, path
    assert changed > 0


def test_logger_warning_changes_nothing_else_in_real_code() -> None:
    changed = 0
    for path, before in sources("supervisor"):
        after = logger_warning(before)
        changed += before != after
        assert after.replace(b"warning(", b"warn(") == before.replace(b"warning(", b"warn("), path
        ast.parse(after)
    assert changed >= 3


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("open(a)", 'open(a, encoding="utf-8")'),
        ("open(a, 'w')", "open(a, 'w', encoding=\"utf-8\")"),
        ("open(a, mode='r')", "open(a, mode='r', encoding=\"utf-8\")"),
        ("é = open('é')", "é = open('é', encoding=\"utf-8\")"),
        ("open(a,\n  'r'\n)", "open(a,\n  'r', encoding=\"utf-8\"\n)"),
        ("open(open(a).read())", 'open(open(a, encoding="utf-8").read(), encoding="utf-8")'),
        ("x = 1\r\nopen(a)\r\n", 'x = 1\r\nopen(a, encoding="utf-8")\r\n'),
    ],
)
def test_text_is_opened_with_an_encoding(before: str, after: str) -> None:
    assert explicit_encoding(before.encode()).decode() == after


@pytest.mark.parametrize(
    "source",
    [
        "open(a, 'rb')",
        "open(a, mode)",
        "open(a, 'r', 1, 'latin-1')",
        "open(a, encoding='ascii')",
        "open(*a)",
        "open(a, **b)",
        "open(a,)",
        "open((a))",
        "open()",
        "self.open(a)",
        "from os import open\nopen(a)",
        "from os import *\nopen(a)",
        "def f(open):\n  open(a)",
        "open = 1\nopen(a)",
        "# coding: latin-1\nopen(a)",
        "\ufeffopen(a)",
    ],
)
def test_what_is_not_sure_is_left_alone(source: str) -> None:
    assert explicit_encoding(source.encode()) == source.encode()


def test_a_method_called_open_is_no_open_of_the_file() -> None:
    source = b"class A:\n  def open(self):\n    return open(a)\n"
    assert b'open(a, encoding="utf-8")' in explicit_encoding(source)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("logger.warn(a)", "logger.warning(a)"),
        ("self.logger.warn(a)", "self.logger.warning(a)"),
        ("warnings.warn(a)", "warnings.warn(a)"),
        ("logger.warn", "logger.warn"),
    ],
)
def test_only_calls_on_a_logger_are_renamed(before: str, after: str) -> None:
    assert logger_warning(before.encode()).decode() == after


@pytest.mark.parametrize("codemod", CODEMODS.values(), ids=CODEMODS)
def test_what_is_no_python_is_refused(codemod: object) -> None:
    assert callable(codemod)
    with pytest.raises(SyntaxError):
        codemod(b"def (:\n  open(logger.warn(a))\n")
