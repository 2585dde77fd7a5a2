"""practice.yaml is kept as written or refused with a sentence."""

import hashlib
from pathlib import Path

import pytest
from django.conf import settings

from config import practice
from config.errors import GroundError

TEXT = (settings.BASE_DIR / "practice.yaml").read_text()


def loaded(tmp_path: Path, text: str) -> dict[str, object]:
    path = tmp_path / "practice.yaml"
    path.write_text(text)
    return practice.load(path)


def test_the_installation_keeps_its_practice() -> None:
    assert settings.PRACTICE == {
        "id": "harness-checkpoint-recovery",
        "artifact": "checkpoint",
        "owner": "platform-team",
        "timeout_seconds": 30,
        "failure_mode": "fail_closed",
        "audit": "required",
    }


@pytest.mark.parametrize(
    ("written", "instead", "sentence"),
    [
        ("fail_closed", "fail_open", "A check that cannot be completed holds the run"),
        ("audit: required", "audit: optional", "Without an audit row there is no effect"),
        ("owner: platform-team\n", "", "Name the team that answers"),
        ("owner: platform-team", "owner: ' '", "Name the team that answers"),
        ("timeout_seconds: 30", "timeout_seconds: 0", "whole seconds, from 1 to 3600"),
        ("timeout_seconds: 30", "timeout_seconds: '30'", "whole seconds, from 1 to 3600"),
        ("id: harness-checkpoint-recovery", "id: another", "this practice and no other"),
        ("audit: required", "audit: required\naudits: none", "'audits' was unexpected"),
        (TEXT, "", "is not of type 'object'"),
        (TEXT, "{", "cannot be read"),
    ],
)
def test_another_practice_is_refused(
    tmp_path: Path, written: str, instead: str, sentence: str
) -> None:
    assert written in TEXT
    with pytest.raises(GroundError, match=sentence):
        loaded(tmp_path, TEXT.replace(written, instead))


def test_a_missing_practice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(GroundError, match="cannot be read"):
        practice.load(tmp_path / "practice.yaml")


def test_digests_are_of_the_bytes() -> None:
    lock = (settings.BASE_DIR / "requirements.lock").read_bytes()
    assert hashlib.sha256(TEXT.encode()).hexdigest() == settings.PRACTICE_DIGEST
    assert hashlib.sha256(lock).hexdigest() == settings.LOCK_DIGEST
