"""The stored databases, one folder per release: what each holds, and which releases need one."""

import gzip
import hashlib
import json
import re
import shutil
import tomllib
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from django.db.migrations.loader import MigrationLoader

ROOT: Final = Path(__file__).resolve().parents[2]
SHELF: Final = Path(__file__).resolve().parent / "stored"
OURS: Final = ("tenants", "checkpoints", "approvals", "reconciliation", "execution", "releases")
DUMP: Final = "database.dump.gz"
OUTSIDE: Final = ("world", "journal")  # folders beside the database


@dataclass(frozen=True)
class Facts:
    """`migrations`: digest by name, of those that are ours. `effects`: of the world then."""

    version: str
    about: str
    migrations: dict[str, str]
    effects: int


@dataclass(frozen=True)
class Stored:
    """One stored database."""

    folder: Path

    @property
    def dump(self) -> Path:
        return self.folder / DUMP

    def pack(self, dump: Path) -> None:
        """Keep what pg_dump wrote. It compresses rows alone, and most of a dump are tables."""
        self.dump.write_bytes(gzip.compress(dump.read_bytes(), mtime=0))

    def unpack(self, folder: Path) -> Path:
        """The same again, for pg_restore."""
        path = folder / "database.dump"
        path.write_bytes(gzip.decompress(self.dump.read_bytes()))
        return path

    @property
    def facts(self) -> Facts:
        return Facts(**json.loads((self.folder / "stored.json").read_text(encoding="utf-8")))

    def write(self, facts: Facts) -> None:
        text = json.dumps(asdict(facts), indent=1, sort_keys=True, ensure_ascii=False)
        (self.folder / "stored.json").write_text(text + "\n", encoding="utf-8")

    def lay_out(self, folder: Path) -> None:
        """Copy what stands outside the database, for a test to go on with."""
        for name in OUTSIDE:
            shutil.copytree(self.folder / name, folder / name)


def of(version: str) -> Stored:
    """The one of a release, which may not be there yet."""
    return Stored(SHELF / version)


def releases() -> list[str]:
    """Every version that was released, and the one that is being made: the oldest first."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    released = re.findall(r"^## \[?(\d+\.\d+\.\d+)", text, re.MULTILINE)
    return sorted({*released, current()}, key=lambda each: [int(n) for n in each.split(".")])


def current() -> str:
    """The version of this code."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    return str(tomllib.loads(text)["project"]["version"])


@cache
def migrations() -> dict[str, str]:
    """The migrations of this code that are ours: what each file says, its SQL with it."""
    disk: dict[Any, Any] = MigrationLoader(None, ignore_no_migrations=True).disk_migrations or {}
    return {f"{app}.{name}": _digest(app, name) for app, name in sorted(disk) if app in OURS}


def _digest(app: str, name: str) -> str:
    path = ROOT / app / "migrations" / name
    parts = [
        file.read_bytes() for end in (".py", ".sql") if (file := path.with_suffix(end)).exists()
    ]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()
