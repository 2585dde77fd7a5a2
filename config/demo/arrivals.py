"""What arrived in the outside world, read from the remotes and the mailbox themselves.

No table of Kedge's is asked here. A push is known by the line in its commit, a mail by its sender
and its words.
"""

import email
import re
import subprocess
from collections import Counter
from email import policy
from functools import lru_cache
from itertools import islice
from pathlib import Path

from django.conf import settings

from agents.fleet_change.message import TRAILER
from agents.fleet_change.proposing import SENDER as KEDGE
from agents.gitobjects import environment
from agents.remotes import BRANCH, remote_url
from config.demo.twin.jobs import SENDER as TWIN

MOST_COMMITS = 500
MOST_MAILS = 2_000
SENDERS = (KEDGE, TWIN)

_CAMPAIGN = re.compile(r"^Campaign: (.*)$", re.MULTILINE)


class Unreadable(Exception):
    """A remote or the mailbox did not answer, so nobody can say what arrived there."""


def pushed(tenant_slug: str, repository: str) -> Counter[str]:
    """How many of the newest commits on the branch carry each business key. Raises `Unreadable`."""
    remote = remote_url(tenant_slug, repository)
    command = ["git", f"--git-dir={remote}", "log", f"-{MOST_COMMITS}", "--format=%B", BRANCH]
    try:
        done = subprocess.run(
            command, capture_output=True, check=True, timeout=5, env=environment()
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise Unreadable(f"{repository}: {type(error).__name__}") from error
    lines = done.stdout.decode("utf-8", "replace").splitlines()
    marked = (line.partition(f"{TRAILER}: ") for line in lines)
    return Counter(key for before, mark, key in marked if mark and not before)


def mailed() -> Counter[tuple[str, str]]:
    """How many mails the mailbox has by (sender, business key). Raises `Unreadable`.

    Of more than MOST_MAILS the newest are read.
    """
    folder = mailbox()
    try:
        files = [file for part in ("new", "cur") for file in (folder / part).iterdir()]
    except OSError as error:
        raise Unreadable(f"{folder}: {error.strerror}") from error
    newest = sorted(files, key=lambda file: file.name, reverse=True)
    return Counter(filter(None, map(_letter, islice(newest, MOST_MAILS))))


def mailbox() -> Path:
    """The Maildir in which the demo's mail server keeps what it took."""
    return Path(settings.VAR_DIR) / "mail"


@lru_cache(maxsize=MOST_MAILS)
def _letter(file: Path) -> tuple[str, str] | None:
    """Sender and business key of a mail, which never changes once it is there."""
    try:
        letter = email.message_from_bytes(file.read_bytes(), policy=policy.default)
    except FileNotFoundError:
        return None
    sender = next((each for each in SENDERS if each in str(letter["From"])), None)
    campaign = _CAMPAIGN.search(str(letter.get_content()).replace("\r\n", "\n"))
    if sender is None or campaign is None:
        return None
    repository = str(letter["Subject"]).partition(":")[0]
    return sender, f"{campaign[1].strip()}/{repository}"
