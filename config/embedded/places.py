"""Where an installation keeps its files, its sockets and its embedded servers' data.

Standard library only: the settings ask here, before Django exists.
"""

import hashlib
import os
import pwd
import secrets
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from config.errors import GroundError

# Linux refuses longer socket paths than 107 bytes; the longest name we add has 16.
LONGEST_SOCKET_FOLDER = 90
SOCKET_PORT = 5432
LINK = "ground"
BOOKKEEPER = "kedge_books"  # of the demo's shops, whose books lie in databases of their own


@dataclass(frozen=True)
class Places:
    """The folders of one installation.

    `var` is ours. `ground` holds what the servers' account must be able to enter: `data`, `sockets`.
    `account` is the system account the servers run as; None means our own.
    """

    var: Path
    ground: Path
    sockets: Path
    control: Path
    account: str | None

    @property
    def data(self) -> Path:
        """PostgreSQL's data folder."""
        return self.ground / "postgres"

    @property
    def logs(self) -> Path:
        """One log file per program."""
        return self.var / "log"

    def database_url(self, user: str, name: str = "kedge") -> str:
        """The address of the embedded PostgreSQL over its socket, as one of its users."""
        return f"postgresql://{user}@/{name}?host={quote(str(self.sockets))}&port={SOCKET_PORT}"

    @property
    def redis_url(self) -> str:
        """The address of the embedded Valkey over its socket."""
        return f"unix://{quote(str(self.sockets))}/valkey.sock?db=0"


def places(var: Path, *, chosen: bool, account: str | None = "nobody") -> Places:
    """Where everything lies for this `var`; the same answer for every process that asks.

    PostgreSQL refuses to run as root, so root lends its servers `account`, which must be able to
    enter their folder. A `var` nobody chose may lie below a private folder: then the servers' files
    stand under the system's own state folder, and the link `ground` in `var` leads there, so that
    they move with `var` and a new `var` starts anew. One that was chosen is never second-guessed.
    `account` None: no server is ours, nothing needs to be entered. Raises GroundError where the
    account is missing or a chosen `var` is closed to it.
    """
    if account is None or os.geteuid() != 0:
        return _at(var, var, None)
    entry = _entry(account)
    if (var / LINK).is_symlink():
        return _at(var, (var / LINK).readlink(), account)
    if may_enter(var, entry):
        return _at(var, var, account)
    if chosen or (var / "postgres").exists():
        raise GroundError(_closed(var, entry))
    return _at(var, _linked(var), account)


def beside(here: Places, name: str) -> Places:
    """The same installation with servers' files of their own, in the folder `name` of its ground."""
    return _at(here.var, here.ground / name, here.account)


def may_enter(folder: Path, entry: pwd.struct_passwd) -> bool:
    """Whether the account can walk down to `folder`. What does not exist yet will be ours, open."""
    return first_closed(folder, entry) is None


def first_closed(folder: Path, entry: pwd.struct_passwd) -> Path | None:
    """The first folder on the way to `folder` that the account cannot enter, or None."""
    groups = os.getgrouplist(entry.pw_name, entry.pw_gid)
    for step in (*reversed(folder.parents), folder):
        if not step.exists():
            return None
        found = step.stat()
        bit = 0o100 if found.st_uid == entry.pw_uid else 0o010 if found.st_gid in groups else 0o001
        if not found.st_mode & bit:
            return step
    return None


def _at(var: Path, ground: Path, account: str | None) -> Places:
    return Places(
        var=var,
        ground=ground,
        sockets=_short(ground / "run", "s"),
        control=_short(var / "supervisor", "c"),
        account=account,
    )


def _short(wanted: Path, mark: str) -> Path:
    """`wanted`, or a folder of our own with a short path when no socket would fit into it."""
    if len(os.fsencode(wanted)) <= LONGEST_SOCKET_FOLDER:
        return wanted
    base = Path("/run") if os.geteuid() == 0 and os.access("/run", os.W_OK) else Path("/tmp")  # noqa: S108 - private(), below, refuses a folder somebody else put there
    return base / f"kedge-{os.geteuid()}-{_name(wanted)}{mark}"


def _linked(var: Path) -> Path:
    """The folder that `ground` in `var` leads to: the first of several processes decides."""
    var.mkdir(parents=True, exist_ok=True)
    with suppress(FileExistsError):
        (var / LINK).symlink_to(_state_folder() / "kedge" / secrets.token_hex(5))
    return (var / LINK).readlink()


def _state_folder() -> Path:
    for folder in (Path("/var/lib"), Path("/var/tmp")):  # noqa: S108 - private(), as above
        if os.access(folder, os.W_OK):
            return folder
    return Path(tempfile.gettempdir())


def _name(path: Path) -> str:
    return hashlib.sha256(os.fsencode(path)).hexdigest()[:10]


def _entry(account: str) -> pwd.struct_passwd:
    try:
        return pwd.getpwnam(account)
    except KeyError:
        raise GroundError(
            f"PostgreSQL does not run as root, and this machine has no account {account!r} to run"
            " it as. Name an unprivileged account in KEDGE_ACCOUNT, or set DATABASE_URL."
        ) from None


def _closed(var: Path, entry: pwd.struct_passwd) -> str:
    return (
        f"The account {entry.pw_name!r}, which runs PostgreSQL because root may not, cannot enter"
        f" {first_closed(var, entry)}. Set KEDGE_VAR to a folder it can reach, for example"
        " /var/lib/kedge, or start as an ordinary user. Kedge does not change the permissions of"
        " your folders."
    )
