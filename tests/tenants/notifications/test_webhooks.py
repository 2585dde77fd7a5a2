"""A webhook goes to listed hosts only: over HTTPS, to the checked address, without redirects."""

from collections.abc import Iterator

import pytest
from pytest_django import Settings

from tenants.notifications import webhooks
from tenants.notifications.webhooks import WebhookFailed, WebhookRefused
from tests.tenants.notifications.receiver import Received, receiving


@pytest.fixture
def chat(settings: Settings) -> Iterator[Received]:
    """A receiver on this machine that a demo installation lists, also as private."""
    with receiving() as server:
        listed = f"localhost:{server.server_port}"
        settings.KEDGE_DEMO = True
        settings.KEDGE_WEBHOOK_HOSTS = settings.KEDGE_WEBHOOK_PRIVATE_HOSTS = [listed]
        yield server


def url(chat: Received, path: str = "/hook") -> str:
    return f"http://localhost:{chat.server_port}{path}"


def test_a_listed_host_gets_json_with_a_text(chat: Received) -> None:
    webhooks.post(url(chat), "Something waits.")
    assert chat.bodies == [{"text": "Something waits."}]


def test_a_redirect_is_not_followed(chat: Received) -> None:
    chat.status = 302
    with pytest.raises(WebhookFailed, match="redirect"):
        webhooks.post(url(chat), "x")
    assert chat.seen == 1


def test_an_error_is_told_without_the_address(chat: Received) -> None:
    chat.status = 404
    with pytest.raises(WebhookFailed) as failed:
        webhooks.post(url(chat, "/secret-token"), "x")
    assert str(failed.value) == "localhost answered 404"


def test_a_private_address_must_be_listed_as_private(chat: Received, settings: Settings) -> None:
    settings.KEDGE_WEBHOOK_PRIVATE_HOSTS = []
    with pytest.raises(WebhookRefused, match="private"):
        webhooks.post(url(chat), "x")
    assert chat.seen == 0


@pytest.mark.parametrize(
    "address",
    [
        "10.0.0.1",
        "127.0.0.1",
        "169.254.169.254",
        "::1",
        "fe80::1%eth0",
        "::ffff:10.0.0.1",
        "224.0.0.1",
    ],
)
def test_private_addresses_are_known(address: str) -> None:
    assert not webhooks.is_public(address)


@pytest.mark.parametrize("address", ["93.184.215.14", "2606:2800:21f::1"])
def test_public_addresses_are_known(address: str) -> None:
    assert webhooks.is_public(address)


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("http://hooks.example/1", "https"),
        ("ftp://hooks.example/1", "https"),
        ("https://evil.example/1", "list"),
        ("https://hooks.example.evil.example/1", "list"),
        ("https://hooks.example:8443/1", "list"),
        ("https://name:pass@hooks.example/1", "password"),
        ("https://hooks.example@evil.example/", "password"),
        ("https://hooks.example/1#x", "fragment"),
        ("https://hooks.example/1\r\nX-A: b", "no address"),
        ("https://hooks.example:port/", "no address"),
        ("not an address", "no address"),
        ("https://hooks.example/" + "x" * 500, "no address"),
    ],
)
def test_what_is_not_listed_or_not_https_is_refused(
    settings: Settings, address: str, why: str
) -> None:
    settings.KEDGE_DEMO = False
    settings.KEDGE_WEBHOOK_HOSTS = ["hooks.example"]
    assert webhooks.allowed("https://hooks.example/1?a=b").target == "/1?a=b"
    with pytest.raises(WebhookRefused, match=why):
        webhooks.allowed(address)


def test_the_certificate_must_be_the_hosts(chat: Received) -> None:
    with pytest.raises(WebhookFailed, match="SSL"):
        webhooks.post(url(chat).replace("http:", "https:"), "x")
