"""A copy of the source to break: what git tracks, with the installed libraries of this checkout."""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LONGEST_TEST_SECONDS = 300
TIMED_OUT = 124


@dataclass(frozen=True)
class Copy:
    """One copy, with test databases of its own: `number` tells them apart."""

    root: Path
    number: int

    def restore(self, path: str) -> None:
        """Have a file as it is in the checkout."""
        shutil.copyfile(ROOT / path, self.root / path)

    def test(self, *tests: str, fresh: bool) -> tuple[int, str]:
        """Run tests here; pytest's exit status (124: it hung) and what it said."""
        database = "--create-db" if fresh else "--reuse-db"
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", database]
        try:
            done = subprocess.run(
                [*command, *tests],
                cwd=self.root,
                env=self._environment(),
                capture_output=True,
                text=True,
                timeout=LONGEST_TEST_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return TIMED_OUT, f"did not end within {LONGEST_TEST_SECONDS} s"
        return done.returncode, done.stdout + done.stderr

    def _environment(self) -> dict[str, str]:
        """PostgreSQL is shared; Valkey, which tests empty, each session starts for itself."""
        suffix = f"{os.environ.get('KEDGE_TEST_SUFFIX', '')}_mutant{self.number}"
        kept = {name: value for name, value in os.environ.items() if name != "REDIS_URL"}
        return {**kept, "KEDGE_TEST_SUFFIX": suffix, "PYTHONDONTWRITEBYTECODE": "1"}


def make(folder: Path, number: int) -> Copy:
    """Copy what git tracks, as it is in the work tree."""
    root = folder / str(number)
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).exists():
            target = root / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, target)
    (root / ".venv").symlink_to(ROOT / ".venv")
    return Copy(root, number)
