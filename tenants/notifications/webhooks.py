"""The one webhook form: JSON with `text`, as Slack and Teams take it, to hosts that are listed only.

What a person typed decides where this process connects, so: HTTPS, an allow-list, no redirect,
no private address, and the address that was checked is the one connected to.
"""

import json
import socket
import ssl
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from ipaddress import IPv6Address, ip_address
from typing import Final
from urllib.parse import urlsplit

from django.conf import settings

from canonical.redaction import Said
from tenants.keys import hiding

SECONDS: Final = 5.0
MOST_READ: Final = 1024
LONGEST_URL: Final = 500


class WebhookRefused(Exception):
    """This address is not one that messages may be sent to."""


class WebhookFailed(Exception):
    """The message did not reach the channel."""


@dataclass(frozen=True)
class Hook:
    """A webhook's address, taken apart and allowed."""

    scheme: str
    host: str
    port: int
    target: str


def allowed(url: str) -> Hook:
    """The address, if messages may go there. Raises `WebhookRefused` with the reason.

    Looks no name up: `post` does, and judges the addresses behind it.
    """
    try:
        parts = urlsplit(url)
        port = parts.port or (443 if parts.scheme == "https" else 80)
    except ValueError as error:
        raise WebhookRefused("This is no address.") from error
    if len(url) > LONGEST_URL or not parts.hostname or any(sign <= " " for sign in url):
        raise WebhookRefused("This is no address.")
    if parts.scheme != "https" and not (settings.KEDGE_DEMO and parts.scheme == "http"):
        raise WebhookRefused("Only https addresses are allowed.")
    if parts.username is not None or parts.password is not None or parts.fragment:
        raise WebhookRefused("An address with a name, a password or a fragment is not allowed.")
    named = {parts.hostname, f"{parts.hostname}:{port}"}
    if not named & _listed(port):
        raise WebhookRefused(
            "This host is not on the list of this installation (KEDGE_WEBHOOK_HOSTS)."
        )
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Hook(parts.scheme, parts.hostname, port, target)


def post(url: str, text: Said) -> None:
    """Send one message. Raises `WebhookRefused`, or `WebhookFailed`; neither names the address."""
    hook = allowed(url)
    address = _address(hook)
    made = _connection(hook, address)
    body = json.dumps({"text": hiding.said(text)}).encode()
    try:
        made.request("POST", hook.target, body, {"Content-Type": "application/json"})
        answer = made.getresponse()
        answer.read(MOST_READ)
    except (OSError, HTTPException) as error:
        raise WebhookFailed(f"{hook.host} did not answer: {type(error).__name__}") from error
    finally:
        made.close()
    if answer.status // 100 == 3:  # noqa: PLR2004
        raise WebhookFailed(f"{hook.host} answered with a redirect, which is not followed")
    if answer.status // 100 != 2:  # noqa: PLR2004
        raise WebhookFailed(f"{hook.host} answered {answer.status}")


def _listed(port: int) -> set[str]:
    """Hosts that are listed; without a port they are so for 443 (and in the demo 80) only."""
    usual = port in {443, 80}
    return {host for host in settings.KEDGE_WEBHOOK_HOSTS if usual or ":" in host}


def _address(hook: Hook) -> str:
    """The address to connect to; all addresses behind the name must be public, or it be listed."""
    try:
        found = socket.getaddrinfo(hook.host, hook.port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise WebhookFailed(f"{hook.host} is not known") from error
    addresses = [str(each[4][0]) for each in found]
    private = {hook.host, f"{hook.host}:{hook.port}"} & set(settings.KEDGE_WEBHOOK_PRIVATE_HOSTS)
    if not private and not all(is_public(address) for address in addresses):
        raise WebhookRefused(f"{hook.host} has a private address, and is not listed as private.")
    return addresses[0]


def is_public(address: str) -> bool:
    """Whether anybody on the internet could stand behind an address."""
    known = ip_address(address.partition("%")[0])
    if isinstance(known, IPv6Address) and known.ipv4_mapped is not None:
        known = known.ipv4_mapped
    return known.is_global and not known.is_multicast


def _connection(hook: Hook, address: str) -> HTTPConnection:
    if hook.scheme == "http":
        return _Plain(hook, address)
    return _Encrypted(hook, address)


class _Plain(HTTPConnection):
    def __init__(self, hook: Hook, address: str) -> None:
        super().__init__(hook.host, hook.port, timeout=SECONDS)
        self._checked = address

    def connect(self) -> None:
        self.sock = socket.create_connection((self._checked, self.port), SECONDS)


class _Encrypted(HTTPSConnection):
    def __init__(self, hook: Hook, address: str) -> None:
        super().__init__(hook.host, hook.port, timeout=SECONDS)
        self._checked, self._name = address, hook.host

    def connect(self) -> None:
        plain = socket.create_connection((self._checked, self.port), SECONDS)
        self.sock = ssl.create_default_context().wrap_socket(plain, server_hostname=self._name)
