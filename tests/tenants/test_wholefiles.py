"""A file is whole under its name or not there, and its owner's alone."""

import errno
import os
from pathlib import Path

import pytest

from tenants import wholefiles


def test_it_is_there_whole_and_its_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "place"
    wholefiles.put(path, b"first")
    wholefiles.put(path, b"second")
    assert path.read_bytes() == b"second"
    assert path.stat().st_mode & 0o777 == 0o600
    assert list(path.parent.iterdir()) == [path]


def test_what_does_not_reach_the_disk_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "place"
    wholefiles.put(path, b"first")

    def full(_handle: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        wholefiles.put(path, b"second")
    assert path.read_bytes() == b"first"
