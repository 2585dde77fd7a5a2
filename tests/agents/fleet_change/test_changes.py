"""A rule makes of a file what ruff makes of it on the command line, and always the same."""

import subprocess
from importlib.metadata import distribution
from pathlib import Path

import pytest
from ruff import find_ruff_bin  # type: ignore[import-untyped]

from agents.errors import ChangeFailed
from agents.fleet_change import changes

UP = {"kind": "ruff", "select": ["UP"]}


def test_a_real_package_is_changed_as_ruff_changes_it_in_place(tmp_path: Path) -> None:
    files = [file for file in distribution("aiosmtpd").files or [] if file.suffix == ".py"]
    changed = 0
    for file in files:
        before = file.read_binary()
        (tmp_path / file.name).write_bytes(before)
        command = [find_ruff_bin(), "check", "--fix-only", "--isolated", "--no-cache", "--quiet"]
        command += ["--target-version=py310", "--select=UP", file.name]
        subprocess.run(command, check=True, cwd=tmp_path)
        after = changes.change(UP, str(file), before)
        assert after.content == (tmp_path / file.name).read_bytes()
        changed += after.content != before
    assert changed > 10


def test_lines_are_counted_as_the_diff_shows_them() -> None:
    before = b"import os\nx = u'a'\ny = 1\nz = u'b'\n"
    after = changes.change(UP, "a.py", before)
    assert (after.insertions, after.deletions) == (2, 2)
    shown = changes.diff("a.py", before, after.content).splitlines()
    assert sum(line.startswith("+") for line in shown) == 3
    assert changes.change(UP, "a.py", before) == after


def test_a_configuration_beside_the_file_has_no_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ruff.toml").write_text('exclude = ["*.py"]\n')
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RUFF_NO_CACHE", "false")
    assert changes.change(UP, "a.py", b"x = u'a'\n").content == b"x = 'a'\n"


@pytest.mark.parametrize("content", [b"x = u'\xff'\n", b"\x00\x01"])
def test_what_is_no_text_is_left_alone_with_a_note(content: bytes) -> None:
    after = changes.change(UP, "a.py", content)
    assert after.content == content
    assert after.note or content == b"\x00\x01"


def test_what_is_no_python_is_left_alone() -> None:
    broken = b"def (:\n  open(u'a')\n"
    assert changes.change(UP, "a.py", broken).content == broken
    codemod = {"kind": "codemod", "name": "explicit-encoding"}
    assert changes.change(codemod, "a.py", broken) == changes.Changed(
        broken, note="not a file that Python can read"
    )


def test_a_file_that_is_too_large_is_left_alone() -> None:
    large = b"x = u'a'\n" * 120_000
    assert changes.change(UP, "a.py", large).content is large


def test_an_unknown_rule_is_an_error_with_the_words_of_ruff() -> None:
    with pytest.raises(ChangeFailed, match="ZZ9"):
        changes.change({"kind": "ruff", "select": ["ZZ9"]}, "a.py", b"x = 1\n")
