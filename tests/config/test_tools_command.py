"""`manage.py tools` says what each tool can do, and what is wrong with a file."""

import io
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from tests.contract.http_worlds import DECLARATIONS


def said(*files: Path) -> dict[str, str]:
    out = io.StringIO()
    call_command("tools", *map(str, files), stdout=out)
    return dict(line.split(" ", 1) for line in out.getvalue().splitlines())


def test_it_lists_what_is_installed() -> None:
    found = said()
    assert "can make it void" in found["git_push"]
    assert "a person decides" in found["send_mail"]


def test_it_says_what_a_file_declares() -> None:
    found = said(*sorted(DECLARATIONS.glob("*.json")))
    assert "can make it void" in found["book_refund"]
    assert "later than its margin" in found["kinto_note"]
    assert "under its key: one effect, for 86400 s" in found["restate_refund"]


def test_it_says_what_is_wrong(tmp_path: Path) -> None:
    bad = tmp_path / "bad.json"
    bad.write_text('{"kind": "http"}', encoding="utf-8")
    for path in (bad, tmp_path / "none.json"):
        with pytest.raises(CommandError, match=path.name):
            said(path)
