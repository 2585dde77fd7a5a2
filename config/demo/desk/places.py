"""Where the demo's refund desk keeps what it needs, on which ports, and whether it can be there.

It knows no Django: the settings ask here.
"""

import hashlib
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from config import environment
from config.embedded.places import BOOKKEEPER, Places

# The tracker's door first, then those of the store: its own, and seven it talks to itself by.
PORTS = 9
MOST_PORT = 65_000
HOST = "127.0.0.1"
# Who writes over the tracker's API must say from where; the declaration of its tool says the same.
ORIGIN = "https://kedge.example"
USER = "desk"  # at the tracker and at the store
PREFIX = "kedge_books_"
TENANTS = ("harbour", "northsea")


@dataclass(frozen=True)
class Desk:
    """The systems of one installation's desk. `secret` signs in at the tracker and at the store."""

    folder: Path
    port: int
    secret: str

    @property
    def tracker(self) -> Path:
        """The folder of the ticket tracker."""
        return self.folder / "tracker"

    @property
    def login(self) -> Path:
        """The file in which the tracker reads who may write to it."""
        return self.folder / "login"

    @property
    def store(self) -> Path:
        """The folder of the store."""
        return self.folder / "store"

    @property
    def identities(self) -> Path:
        """The file in which the store reads who may write to it."""
        return self.folder / "s3.json"

    @property
    def tickets_url(self) -> str:
        """The tracker's address."""
        return f"http://{HOST}:{self.port}"

    @property
    def store_url(self) -> str:
        """The store's address."""
        return f"http://{HOST}:{self.port + 1}"

    def hosts(self) -> list[str]:
        """The private hosts that the desk's tools may talk to."""
        return [f"{HOST}:{self.port}", f"{HOST}:{self.port + 1}"]

    def values(self, places: Places) -> dict[str, str]:
        """What stands for the variables that the desk's tools name."""
        books = {
            f"KEDGE_BOOKS__{slug.upper()}": places.database_url(BOOKKEEPER, f"{PREFIX}{slug}")
            for slug in TENANTS
        }
        return {
            **books,
            "KEDGE_TICKETS": self.tickets_url,
            "KEDGE_TICKETS_LOGIN": f"{USER}:{self.secret}",
            "KEDGE_STORE": self.store_url,
            "KEDGE_STORE_ID": USER,
            "KEDGE_STORE_SECRET": self.secret,
        }


def desk(var: Path, port: int, secret_key: str) -> Desk:
    """The desk of the installation in this folder; its secret is as lasting as the installation's."""
    secret = hashlib.sha256(f"refund desk\0{secret_key}".encode()).hexdigest()
    return Desk(var / "desk", port, secret)


def of_demo(env: Mapping[str, str], of: tuple[Path, int, str]) -> Desk | None:
    """The desk of a demo; None where it is switched off, or its systems or its PostgreSQL are not there.

    `of` is the installation's folder, port and secret key.
    """
    wanted = environment.switch(env, "KEDGE_REFUND_DESK", default=True)
    if not wanted or env.get("DATABASE_URL") or not is_installed():
        return None
    var, port, secret_key = of
    usual = min(port + 40, MOST_PORT)
    return desk(var, environment.number(env, "KEDGE_DESK_PORT", usual, most=MOST_PORT), secret_key)


def is_installed() -> bool:
    """Whether tracker and store are there: `make up` installs them where it can."""
    return weed().exists() and all(find_spec(name) for name in ("roundup", "waitress"))


def weed() -> Path:
    """The program of the store."""
    return Path(sys.executable).parent / "weed"
