"""A tool connects to where its declaration says and the installation allows, and nowhere else."""

import pytest

from agents.tools.wire.errors import NotSent
from agents.tools.wire.reach import Reach, Server
from reconciliation.tools import CredentialInvalid


def test_a_tenants_own_value_goes_before_everybodys() -> None:
    reach = Reach({"TOKEN": "all", "TOKEN__ACME_NORTH": "own"})
    assert reach.value("TOKEN", "acme-north") == "own"
    assert reach.value("TOKEN", "other") == "all"
    with pytest.raises(CredentialInvalid, match="no OTHER"):
        reach.secret("OTHER", "acme")


def test_secrets_are_in_no_repr() -> None:
    assert "hush" not in repr(Reach({"TOKEN": "hush"}))


@pytest.mark.parametrize(
    "url",
    [
        "http://api.example.com",
        "ftp://api.example.com",
        "https://ann:pw@api.example.com",
        "https://api.example.com/?a=1",
        "https://api.example.com/#a",
        "https:///x",
        "https://api.example.com:port",
        "https://api.example.com/a b",
        "api.example.com",
    ],
)
def test_an_odd_address_is_none(url: str) -> None:
    with pytest.raises(NotSent):
        Reach({}).server(url)


def test_an_address_is_taken_apart() -> None:
    assert Reach({}).server("https://api.example.com/v1/") == Server(
        "https", "api.example.com", 443, "/v1"
    )
    assert Reach({}, frozenset({"::1"})).server("http://[::1]:81").authority == "[::1]:81"


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "10.0.0.1", "169.254.169.254", "::1"])
def test_a_private_address_is_reached_only_if_listed(host: str) -> None:
    server = Server("https", host, 443)
    with pytest.raises(NotSent, match="private"):
        Reach({}).address(server)
    assert Reach({}, frozenset({host})).address(server)
    assert Reach({}, frozenset({f"{host}:443"})).address(server)
    with pytest.raises(NotSent):
        Reach({}, frozenset({f"{host}:80"})).address(server)
