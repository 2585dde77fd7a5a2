"""The outside world of a chaos run, read directly: files, git, mails. No table of the engine."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from email import message_from_bytes, policy
from pathlib import Path

from tests.chaos import work
from tests.chaos.servers import Servers
from tests.crash.worlds import REPOSITORY, Effect, Place, seed_repository


@dataclass(frozen=True)
class Outside:
    """Everything that runs did to the world; each has its own remote and its own recipient."""

    folder: Path
    maildir: Path

    @property
    def remotes(self) -> Path:
        return self.folder / "remotes"

    @property
    def world(self) -> Path:
        return self.folder / "world"

    def prepare(self) -> None:
        """Make it, with one repository that is only read and copied."""
        self.world.mkdir(parents=True)
        seed_repository(work.remote(self.remotes, REPOSITORY))

    def of(self, key: str) -> Iterator[Effect]:
        """What the run of this business key pushed and mailed."""
        place = self._place(key)
        yield from place.commits()
        yield from place.mails()

    def files(self) -> Iterator[Effect]:
        """What all fake tools did; `what` is the business key of the run and a number."""
        yield from self._place("").files()

    def has(self, ledger_key: str, business_key: str) -> bool:
        """Whether an effect of this ledger key is in the world now."""
        found = (*self.files(), *self.of(business_key))
        return any(effect.key == ledger_key for effect in found)

    def per_run(self, keys: list[str]) -> dict[str, Counter[str]]:
        """For each business key: how many effects there are of each of its ledger keys."""
        found = {key: Counter(it.key for it in self._place(key).commits()) for key in keys}
        for recipient, ledger_key in self._mailed():
            found.setdefault(recipient.partition("@")[0], Counter())[ledger_key] += 1
        for effect in self.files():
            found.setdefault(effect.what.rpartition("-")[0], Counter())[effect.key] += 1
        return found

    def _mailed(self) -> Iterator[tuple[str, str]]:
        """Recipient and ledger key of every mail there is, each file read once."""
        for file in self.maildir.glob("new/*"):
            mail = message_from_bytes(file.read_bytes(), policy=policy.default)
            yield str(mail["Delivered-To"]), str(mail["X-Kedge-Key"])

    def _place(self, key: str) -> Place:
        return Place(self.folder, key, self.maildir, repository=key)


def of(servers: Servers) -> Outside:
    """The world beside these servers."""
    return Outside(servers.folder, servers.maildir)
