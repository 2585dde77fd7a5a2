"""The outside world of a fixture: git remotes and a mailbox, made as the file says and read directly."""

import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from email import message_from_bytes, policy
from pathlib import Path
from typing import Any

from agents.gitobjects import environment
from agents.remotes import BRANCH
from tests.agents import git_fixtures
from tests.crash import worlds

Json = Any

SLOW_SECONDS = 6
DECLINES = "#!/bin/sh\necho 'nobody pushes here today' >&2\nexit 1\n"
# The first push waits; whoever comes after is served at once.
TAKES_LONG_ONCE = "#!/bin/sh\nmkdir '{mark}' 2>/dev/null || exit 0\nsleep {seconds}\n"


@dataclass(frozen=True)
class Outside:
    """A world below `folder`. No engine table is asked here."""

    folder: Path
    tenant: str

    @property
    def remotes(self) -> Path:
        return self.folder / "remotes"

    @property
    def mailbox(self) -> Path:
        return self.folder / "mail"

    def make(self, world: Mapping[str, Json]) -> None:
        """Every repository with its history; dates are given, so commits are the same everywhere."""
        for name, told in world.get("repositories", {}).items():
            remote = git_fixtures.init(self._remote(name))
            for each in told["commits"]:
                files = {path: _written(content) for path, content in each["files"].items()}
                git_fixtures.commit(remote, files, each["message"], each["at"])
            seed = git_fixtures.git(remote, "rev-parse", BRANCH).strip()
            (Path(remote) / "seed").write_text(seed)
            self._hook(Path(remote), told.get("hook", ""))
            if told.get("damaged"):
                _damage(Path(remote))

    def arrived(self) -> Counter[str]:
        """How often each ledger key is there; "" stands for what carries none."""
        found = Counter(self._mailed())
        for seed in self.remotes.glob("*/*.git/seed"):
            found.update(effect.key for effect in worlds.pushed(seed.parent))
        return found

    def _remote(self, name: str) -> Path:
        return self.remotes / self.tenant / f"{name}.git"

    def _hook(self, remote: Path, kind: str) -> None:
        if not kind:
            return
        mark = self.folder / "pushed-to"
        slow = TAKES_LONG_ONCE.format(mark=mark, seconds=SLOW_SECONDS)
        hook = remote / "hooks" / "pre-receive"
        hook.parent.mkdir(exist_ok=True)
        hook.write_text({"declines": DECLINES, "takes_long_once": slow}[kind])
        hook.chmod(0o755)

    def _mailed(self) -> Iterator[str]:
        for file in self.mailbox.glob("new/*"):
            mail = message_from_bytes(file.read_bytes(), policy=policy.default)
            yield str(mail["X-Kedge-Key"] or "")


def _written(content: Json) -> str:
    return content if isinstance(content, str) else content["line"] * content["times"]


def _damage(remote: Path) -> None:
    """Take the tree of the newest commit away."""
    tree = git_fixtures.git(str(remote), "rev-parse", f"{BRANCH}^{{tree}}").strip()
    _loosen(remote)
    (remote / "objects" / tree[:2] / tree[2:]).unlink()


def _loosen(remote: Path) -> None:
    """Every object in a file of its own."""
    packs = remote / "objects" / "pack"
    aside = remote / "aside"
    shutil.move(packs, aside)
    packs.mkdir()
    for pack in aside.glob("*.pack"):
        command = ["git", f"--git-dir={remote}", "unpack-objects", "-q"]
        subprocess.run(command, check=True, env=environment(), input=pack.read_bytes())
    shutil.rmtree(aside)
