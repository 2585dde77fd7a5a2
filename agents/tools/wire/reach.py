"""Where tools may connect to, and the secrets they act with: both by name, from the environment."""

import socket
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from agents.tools.wire.errors import NotSent
from reconciliation.tools import CredentialInvalid
from tenants.notifications.webhooks import is_public

PORTS = {"https": 443, "http": 80}


@dataclass(frozen=True)
class Server:
    """The one server a tool talks to; `base` is the path before every path, without "/" at its end."""

    scheme: str
    host: str
    port: int
    base: str = ""

    @property
    def authority(self) -> str:
        """The value of the Host header."""
        shown = f"[{self.host}]" if ":" in self.host else self.host
        return shown if self.port == PORTS[self.scheme] else f"{shown}:{self.port}"


@dataclass(frozen=True)
class Reach:
    """What the installation lets tools use: named values, and hosts that are private on purpose.

    A host is listed as `name` or `name:port`. Only to a listed one may a tool talk without TLS.
    """

    environment: Mapping[str, str] = field(repr=False)
    private_hosts: frozenset[str] = frozenset()

    def value(self, name: str, tenant: str) -> str:
        """The tenant's own value (`NAME__TENANT`) or everybody's; "" when there is none."""
        own = f"{name}__{tenant.upper().replace('-', '_')}"
        return self.environment.get(own) or self.environment.get(name, "")

    def secret(self, name: str, tenant: str) -> str:
        """As `value`. Raises `CredentialInvalid` when there is none."""
        found = self.value(name, tenant)
        if not found:
            raise CredentialInvalid(f"the environment has no {name}")
        return found

    def server(self, url: str) -> Server:
        """The server of an address. Looks no name up. Raises `NotSent`."""
        try:
            parts = urlsplit(url)
            port = parts.port or PORTS[parts.scheme]
        except (ValueError, KeyError) as error:
            raise NotSent("the address of the server is none") from error
        odd = parts.username is not None or parts.query or parts.fragment
        if not parts.hostname or odd or any(sign <= " " for sign in url):
            raise NotSent("the address of the server is none")
        server = Server(parts.scheme, parts.hostname, port, parts.path.rstrip("/"))
        if server.scheme == "http" and not self.is_private(server):
            raise NotSent(f"{server.host} is not a private host of this installation: use https")
        return server

    def is_private(self, server: Server) -> bool:
        """Whether this host is listed as one that may have a private address."""
        return not self.private_hosts.isdisjoint({server.host, f"{server.host}:{server.port}"})

    def address(self, server: Server) -> str:
        """The address to connect to: the very one that was judged. Raises `NotSent`."""
        try:
            found = socket.getaddrinfo(server.host, server.port, type=socket.SOCK_STREAM)
        except OSError as error:
            raise NotSent(f"{server.host} is not known") from error
        addresses = [str(each[4][0]) for each in found]
        if not self.is_private(server) and not all(is_public(address) for address in addresses):
            raise NotSent(f"{server.host} has a private address, and is not listed as private")
        return addresses[0]
