"""The worlds of the real tools: a git daemon and a mail sink, each at the end of a counting wire."""

from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

from agents.mailsink import mails
from agents.tools.git.building import build_commit
from agents.tools.git.remotes import Registry
from agents.tools.git.tool import GitPush
from agents.tools.mail.sending import MailServer
from agents.tools.mail.tool import SendMail
from reconciliation.tools import Call, Json
from tests.agents.tools.git.remote import Remote, git
from tests.contract.daemons import git_daemon, mail_sink
from tests.contract.wire import CUT, MUTE, Marks, Wire
from tests.contract.worlds import TENANT, make_call, reference_to

AT = datetime(2026, 1, 2, tzinfo=UTC)


class GitWorld:
    """One remote; every call builds on what its branch is then."""

    def __init__(self, folder: Path) -> None:
        self._stack = ExitStack()
        self.remote = Remote(folder / "remotes" / "ship.git")
        port = self._stack.enter_context(git_daemon(folder / "remotes"))
        # The flush after the pack line ends what a push asks; "unpack ok" begins the report.
        self.wire = Wire(
            port, Marks(asks=b"git-receive-pack ", asked=b"PACK", answered=b"unpack ok")
        )
        self._stack.callback(self.wire.close)
        self.url = f"git://127.0.0.1:{self.wire.port}/ship.git"
        self.tool = GitPush(Registry({(TENANT, "ship"): self.url}))
        self._number = 0

    def call(self) -> Call:
        self._number += 1
        changes: dict[str, bytes | None] = {"src/anchor.py": f"DEPTH = {self._number}\n".encode()}
        built = build_commit(
            str(self.remote.folder),
            self.remote.head(),
            changes,
            message=f"Go down to {self._number}",
            author="Kedge <kedge@example.org>",
            at=AT,
        )
        pack = reference_to(built.pack)
        parameters = built.parameters(remote="ship", branch="main", pack=pack)
        return make_call(parameters, built.pack)

    def odd_parameters(self) -> list[dict[str, Json]]:
        plain = dict(self.call().parameters)
        return [plain | {"expected": ""}, plain | {"branch": "a/b-c.d", "remote": "x" * 100}]

    def effects(self, key: str) -> int:
        """Action refs that name this key and whose commit the branch has."""
        history, count = self.remote.history(), 0
        for ref, tag in self.remote.refs().items():
            if ref.startswith("refs/kedge/actions/"):
                body = git(self.remote.folder, "cat-file", "tag", tag)
                commit = body.split()[1]
                count += key in body and commit in history
        return count

    def seen_outside(self) -> object:
        return self.remote.refs()

    def requests(self) -> int:
        return self.wire.connections

    def refuse(self) -> None:
        self.remote.hook("pre-receive", "echo not on a Friday >&2; exit 1")

    def lose_answers(self) -> None:
        self.wire.mode = CUT

    def hang(self) -> None:
        self.wire.mode = MUTE

    def close(self) -> None:
        self._stack.close()


class MailWorld:
    """One mail sink; what it does is asked for by the recipient."""

    def __init__(self, folder: Path) -> None:
        self._stack = ExitStack()
        self.folder = folder / "mail"
        port = self._stack.enter_context(mail_sink(self.folder))
        marks = Marks(asks=b"DATA\r\n", asked=b"\r\n.\r\n", answered=b"250 kept")
        self.wire = Wire(port, marks)
        self._stack.callback(self.wire.close)
        self.tool = SendMail(MailServer("127.0.0.1", self.wire.port))
        self._recipient = "ann@example.org"

    def call(self) -> Call:
        return make_call(self._parameters(subject="Anchor", body="It is down.\nYours, Kedge\n"))

    def odd_parameters(self) -> list[dict[str, Json]]:
        return [
            self._parameters(subject=" =?utf-8?b?eA==?= ", body=""),
            self._parameters(subject="é" * 500, body="\n.\n..\n" + "ü" * 3000),
            self._parameters(subject="x", body="y") | {"date": "2026-01-02T03:04:05Z"},
        ]

    def effects(self, key: str) -> int:
        return sum(mail.key == key for mail in mails(self.folder))

    def seen_outside(self) -> object:
        return mails(self.folder)

    def requests(self) -> int:
        return self.wire.requests

    def refuse(self) -> None:
        self._recipient = "ann+refuse@example.org"

    def lose_answers(self) -> None:
        self._recipient = "ann+dies@example.org"

    def hang(self) -> None:
        self.wire.mode = MUTE

    def close(self) -> None:
        self._stack.close()

    def _parameters(self, **given: str) -> dict[str, Json]:
        return {"to": self._recipient, "from": "kedge@example.org", **given}


def git_push(folder: Path) -> GitWorld:
    return GitWorld(folder)


def send_mail(folder: Path) -> MailWorld:
    return MailWorld(folder)
