"""Folders are made for one owner; a stranger's, a closed or a full one is refused."""

import os
import stat
from pathlib import Path

import pytest

from config.embedded import folders
from config.embedded.places import Places, places
from config.errors import GroundError
from tests import ground
from tests.config.embedded.conftest import as_root


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_preparing_twice_changes_nothing(here: Places) -> None:
    before = {path: path.stat().st_mode for path in here.var.rglob("*")}
    folders.prepare(here)
    assert {path: path.stat().st_mode for path in here.var.rglob("*")} == before
    assert mode(here.control) == mode(here.sockets) == 0o700


@as_root
def test_a_strict_umask_does_not_close_what_the_account_must_enter() -> None:
    before = os.umask(0o077)
    try:
        with ground.open_folder() as folder:
            here = places(folder / "a" / "var", chosen=True, account=ground.ACCOUNT)
            folders.prepare(here)
            assert [mode(folder / "a"), mode(here.var)] == [0o755, 0o755]
    finally:
        os.umask(before)


def test_a_full_disk_is_refused_before_anything_is_written_to_it(here: Places) -> None:
    with pytest.raises(GroundError, match="Free some space or set KEDGE_VAR"):
        folders.prepare(here, needed=2**60)


def test_a_folder_others_can_enter_is_not_used_for_sockets(here: Places) -> None:
    here.control.chmod(0o755)
    with pytest.raises(GroundError, match="a folder that only you can enter"):
        folders.prepare(here)


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "theirs").mkdir(mode=0o700)
    (tmp_path / "run").symlink_to(tmp_path / "theirs")
    with pytest.raises(GroundError, match="it is not"):
        folders.private(tmp_path / "run", None)


def test_a_file_in_the_way_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "var").touch()
    with pytest.raises(GroundError, match="cannot write there"):
        folders.prepare(places(tmp_path / "var", chosen=True, account=None))
