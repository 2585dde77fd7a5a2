"""Where an installation's files lie is the same for everybody who asks, and never forced."""

import pwd
import stat
from pathlib import Path

import pytest

from config.embedded.places import LONGEST_SOCKET_FOLDER, first_closed, places
from config.errors import GroundError
from tests import ground
from tests.config.embedded.conftest import as_root


def test_everything_lies_below_var_where_the_account_can_enter_it() -> None:
    with ground.open_folder() as folder:
        here = places(folder / "var", chosen=False, account=ground.ACCOUNT)
        assert here.ground == here.var == folder / "var"
        assert here.sockets.parent == here.control.parent == here.var


@as_root
def test_below_a_private_folder_the_servers_files_stand_elsewhere(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    here = places(tmp_path / "var", chosen=False)
    assert here.var == tmp_path / "var"
    assert not here.ground.is_relative_to(tmp_path)
    assert here == places(tmp_path / "var", chosen=False)
    assert first_closed(here.ground, pwd.getpwnam("nobody")) is None


@as_root
def test_the_servers_files_move_with_var_and_a_new_var_starts_anew(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    first = places(tmp_path / "var", chosen=False)
    with ground.open_folder() as folder:
        (tmp_path / "var").rename(folder / "var")
        assert places(folder / "var", chosen=False).ground == first.ground
    assert places(tmp_path / "var", chosen=False).ground != first.ground


@as_root
def test_a_chosen_folder_that_is_closed_is_refused_and_left_as_it_was(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    with pytest.raises(GroundError, match="Set KEDGE_VAR to a folder it can reach"):
        places(tmp_path / "var", chosen=True)
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o700


@as_root
def test_data_made_before_the_folder_was_closed_are_not_started_anew(tmp_path: Path) -> None:
    (tmp_path / "var" / "postgres").mkdir(parents=True)
    tmp_path.chmod(0o700)
    with pytest.raises(GroundError, match="cannot enter"):
        places(tmp_path / "var", chosen=False)


@as_root
def test_a_missing_account_is_a_sentence() -> None:
    with pytest.raises(GroundError, match="Name an unprivileged account in KEDGE_ACCOUNT"):
        places(Path("/srv"), chosen=False, account="no-such-account")


def test_sockets_get_a_short_folder_where_the_path_is_long() -> None:
    with ground.open_folder() as folder:
        deep = folder / ("long " * 30)
        here = places(deep, chosen=True, account=ground.ACCOUNT)
        other = places(deep / "other", chosen=True, account=ground.ACCOUNT)
    for short in (here.sockets, here.control):
        assert len(str(short)) <= LONGEST_SOCKET_FOLDER
    assert len({here.sockets, here.control, other.sockets, other.control}) == 4


def test_an_address_survives_odd_folder_names() -> None:
    with ground.open_folder() as folder:
        here = places(folder / "a b&c=d%e", chosen=True, account=ground.ACCOUNT)
    assert "a%20b%26c%3Dd%25e" in here.database_url("kedge_web")
    assert "a%20b%26c%3Dd%25e" in here.redis_url


def test_without_servers_of_our_own_no_account_is_needed(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    here = places(tmp_path, chosen=True, account=None)
    assert (here.account, here.ground) == (None, tmp_path)
