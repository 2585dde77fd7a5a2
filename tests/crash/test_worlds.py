"""The outside world as the oracle reads it."""

import json
from pathlib import Path

import pytest

from agents.mailsink import Sink, keep
from tests.agents.git_fixtures import commit, git
from tests.crash.worlds import FILES, Effect, Place, seed_repository

KEY = "a" * 64


@pytest.fixture
def place(tmp_path: Path) -> Place:
    Sink(tmp_path / "mail")  # makes the Maildir
    place = Place(tmp_path / "world-1", "k1", tmp_path / "mail")
    place.prepare(seed_repository(tmp_path / "seed"), slow=False)
    return place


def _mark(place: Place, sha: str, name: str, said: dict[str, object]) -> None:
    head = f"object {sha}\ntype commit\ntag {name}\ntagger K <k@x.example> 0 +0000\n\n"
    tag = git(str(place.remote), "mktag", given=head + json.dumps(said)).strip()
    git(str(place.remote), "update-ref", f"refs/kedge/actions/{name}", tag)


def test_a_fresh_world_is_empty(place: Place) -> None:
    assert place.effects() == []


def test_a_commit_is_an_effect_under_the_key_of_its_mark(place: Place) -> None:
    sha = commit(str(place.remote), {"new.py": "A = 1\n"})
    _mark(place, sha, "one", {"key": KEY})
    assert place.effects() == [Effect(KEY, f"commit {sha}")]


def test_a_commit_with_two_marks_counts_twice(place: Place) -> None:
    sha = commit(str(place.remote), {"new.py": "A = 1\n"})
    _mark(place, sha, "one", {"key": KEY})
    _mark(place, sha, "two", {"key": KEY})
    assert place.effects() == [Effect(KEY, f"commit {sha}")] * 2


def test_a_commit_without_a_mark_is_seen_too(place: Place) -> None:
    sha = commit(str(place.remote), FILES | {"ship/anchor.py": "A = 1\n"})
    assert place.effects() == [Effect("", f"commit {sha}")]


def test_only_its_own_mails_are_its_effects(place: Place) -> None:
    mail = f"Subject: pushed\r\nX-Kedge-Key: {KEY}\r\n\r\nhello\r\n".encode()
    keep(place.mailbox, place.recipient, mail)
    keep(place.mailbox, "k2@kedge.example", mail)
    assert place.effects() == [Effect(KEY, "mail pushed")]


def test_a_tombstone_is_no_effect(place: Place) -> None:
    (place.folder / "world").mkdir()
    for name, key in (("effect-1", KEY), ("effect-2", "")):
        content = json.dumps({"key": key, "what": "a-0"})
        (place.folder / "world" / name).write_text(content)
    assert place.effects() == [Effect(KEY, "a-0")]
