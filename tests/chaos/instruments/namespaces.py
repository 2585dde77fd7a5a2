"""A network namespace joined to ours by one cable, which can be pulled out or let through one way only."""

import os
import secrets
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

# Of the block for tests between networks (RFC 2544): nothing else is there.
HOST, GUEST, BITS = "198.18.{}.1", "198.18.{}.2", 30
UP, CUT, DEAF = "up", "cut", "deaf"


def why_not() -> str:
    """Why no namespace can be made here; "" when it can."""
    if os.geteuid() != 0:
        return "network namespaces need root"
    missing = [name for name in ("ip", "tc") if shutil.which(name) is None]
    if missing:
        return f"{' and '.join(missing)} is missing (Debian: apt-get install iproute2)"
    name = f"kedge-{secrets.token_hex(3)}"
    if subprocess.run(["ip", "netns", "add", name], capture_output=True, check=False).returncode:
        return "this machine makes no network namespaces"
    _ip("netns", "delete", name)
    return ""


@dataclass
class Namespace:
    """It is up. `host` is our end's address, `guest` its own; `prefix` starts a program inside."""

    name: str
    number: int
    stands: str = UP

    @property
    def host(self) -> str:
        return HOST.format(self.number)

    @property
    def guest(self) -> str:
        return GUEST.format(self.number)

    @property
    def prefix(self) -> list[str]:
        ip = shutil.which("ip")
        assert ip is not None
        return [ip, "netns", "exec", self.name]

    @property
    def cable(self) -> str:
        """Our end of it."""
        return f"kdg{self.number}h"

    def cut(self) -> None:
        """Pull the cable out: both sides send into nothing, and nobody is told."""
        _ip("link", "set", self.cable, "down")
        self.stands = CUT

    def deafen(self) -> None:
        """What it sends arrives; nothing that is answered does."""
        subprocess.run(["tc", "qdisc", "add", "dev", self.cable, "root", "blackhole"], check=True)
        self.stands = DEAF

    def heal(self) -> None:
        """As it was."""
        if self.stands == CUT:
            _ip("link", "set", self.cable, "up")
        if self.stands == DEAF:
            subprocess.run(["tc", "qdisc", "delete", "dev", self.cable, "root"], check=True)
        self.stands = UP


@contextmanager
def opened() -> Iterator[Namespace]:
    """A namespace with its cable; gone afterwards."""
    number = secrets.randbelow(256)
    space = Namespace(f"kedge-{os.getpid()}-{number}", number)
    inner = f"kdg{number}g"
    _ip("netns", "add", space.name)
    try:
        _ip("link", "add", space.cable, "type", "veth", "peer", "name", inner, "netns", space.name)
        _ip("address", "add", f"{space.host}/{BITS}", "dev", space.cable)
        _ip("link", "set", space.cable, "up")
        inside = ("-n", space.name)
        _ip(*inside, "address", "add", f"{space.guest}/{BITS}", "dev", inner)
        _ip(*inside, "link", "set", inner, "up")
        _ip(*inside, "link", "set", "lo", "up")
        yield space
    finally:
        subprocess.run(["ip", "netns", "delete", space.name], check=False)
        subprocess.run(["ip", "link", "delete", space.cable], capture_output=True, check=False)


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)
