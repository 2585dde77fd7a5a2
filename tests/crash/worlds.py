"""The outside world of one trial, read directly: files, git, mails, a shop. No engine table."""

import json
import os
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from email import message_from_bytes, policy
from pathlib import Path

from django.conf import settings

from agents.gitobjects import environment
from agents.remotes import BRANCH
from tests.agents.git_fixtures import commit, init
from tests.crash import services, shops
from tests.crash.databases import TENANT
from tests.crash.processes import HOOK_RUNS
from tests.crash.shops import Effect
from tests.servers.shop import Shop

__all__ = ["Effect", "Place", "per_key", "pushed", "seed_repository"]

REPOSITORY = "ship"
HOOK_SECONDS = 0.8
FILES = {
    "ship/anchor.py": "def lines(path):\n    return open(path).readlines()\n",
    "ship/rope.py": "LENGTH = 12\n",
}


@dataclass(frozen=True)
class Place:
    """The world of one trial below `folder`; the mailbox is shared, the recipient is not."""

    folder: Path
    business_key: str
    mailbox: Path
    shop: Shop | None = None
    service: str = ""
    repository: str = REPOSITORY

    @property
    def recipient(self) -> str:
        return f"{self.business_key}@kedge.example"

    @property
    def purchase(self) -> str:
        return f"p-{self.business_key}"

    @property
    def ticket(self) -> str:
        """The number of its ticket; "" where there is none."""
        file = self.folder / "ticket"
        return file.read_text() if file.exists() else ""

    @property
    def remotes(self) -> Path:
        return self.folder / "remotes"

    @property
    def remote(self) -> Path:
        return self.remotes / TENANT / f"{self.repository}.git"

    def prepare(self, seed: Path | None, *, slow: bool) -> None:
        """Make the folder, with a copy of the seed repository when the trial pushes.

        A slow remote thinks about each push, also when whoever pushed is dead.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        if self.shop is not None:
            self.shop.sell(number=self.purchase)
            number = self.shop.ticket(self.purchase, customer_mail=self.recipient)
            (self.folder / "ticket").write_text(number)
        if seed is not None:
            shutil.copytree(seed, self.remote)
        if slow:
            hook = self.remote / "hooks" / "pre-receive"
            hook.parent.mkdir()
            hook.write_text(f"#!/bin/sh\n: > '{self.folder / HOOK_RUNS}'\nsleep {HOOK_SECONDS}\n")
            hook.chmod(0o755)

    def enter(self) -> None:
        """Point the tools of this process, and of its children, to this world."""
        os.environ["KEDGE_FAKE_WORLD"] = str(self.folder / "world")
        settings.KEDGE_REMOTES = str(self.remotes)

    def effects(self) -> list[Effect]:
        """Everything this trial did to the world, in a fixed order."""
        found = [*self.files(), *self.commits(), *self.mails()]
        if self.shop is not None:
            found += shops.effects(self.shop, self.purchase, self.ticket)
        if self.service:
            paid = services.refunds(self.service, self.business_key)
            found += [Effect(key, f"refund {amount}") for key, amount in paid]
        return sorted(found, key=lambda effect: (effect.what, effect.key))

    def files(self) -> Iterator[Effect]:
        """What the fake tools did."""
        for path in (self.folder / "world").glob("effect-*"):
            effect = json.loads(path.read_bytes())
            if effect["key"]:  # else a tombstone
                yield Effect(effect["key"], effect["what"])

    def commits(self) -> Iterator[Effect]:
        """What was pushed to its remote."""
        if self.remote.exists():
            yield from pushed(self.remote)

    def mails(self) -> Iterator[Effect]:
        """The mails that its recipient was sent."""
        ours = f"Delivered-To: {self.recipient}\r\n".encode()
        for file in self.mailbox.glob("new/*"):
            content = file.read_bytes()
            if content.startswith(ours):
                mail = message_from_bytes(content, policy=policy.default)
                subject = str(mail["Subject"])
                said = subject.replace(self.ticket, "(ticket)") if self.ticket else subject
                yield Effect(str(mail["X-Kedge-Key"]), f"mail {said}")


def seed_repository(folder: Path) -> Path:
    """A bare repository with a history of two commits, to be copied for each trial."""
    remote = init(folder)
    commit(remote, {"README.md": "# Ship\n"}, at=1_700_000_000)
    sha = commit(remote, FILES, at=1_700_000_100)
    (folder / "seed").write_text(sha)
    shutil.rmtree(folder / "hooks", ignore_errors=True)
    return folder


def pushed(remote: Path) -> Iterator[Effect]:
    """Commits on the branch since the seed, each under the keys of the marks that name it."""
    marks = list(_marks(remote))
    base = (remote / "seed").read_text()
    for sha in _git(remote, "rev-list", f"{base}..{BRANCH}").split():
        keys = [key for key, marked in marks if marked == sha]
        yield from (Effect(key, f"commit {sha}") for key in keys or [""])


def per_key(effects: list[Effect]) -> Counter[str]:
    """How many effects there are of each ledger key."""
    return Counter(effect.key for effect in effects)


def _marks(remote: Path) -> Iterator[tuple[str, str]]:
    """(ledger key, commit) of every attempt that left its mark."""
    listed = _git(remote, "for-each-ref", "--format=%(objectname)", "refs/kedge/actions/")
    for tag in listed.split():
        body = _git(remote, "cat-file", "tag", tag)
        said = json.loads(body.partition("\n\n")[2])
        if not said.get("void"):
            yield said["key"], body.split()[1]


def _git(remote: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", f"--git-dir={remote}", *arguments],
        check=True,
        capture_output=True,
        env=environment(),
    )
    return done.stdout.decode()
