"""The values that tools and engine exchange."""

from reconciliation.tools import Absent, Magnitude, Tools
from tests.engine.faketools import ALL


def test_a_magnitude_shows_only_what_is_not_nothing() -> None:
    assert Magnitude().as_json() == {}
    assert Magnitude(amount=500, currency="EUR", recipients=1).as_json() == {
        "amount": 500,
        "currency": "EUR",
        "recipients": 1,
    }


def test_absent_is_absent_whoever_made_it_so() -> None:
    assert Absent() == Absent(voided=True)


def test_tools_are_found_by_name() -> None:
    tools = Tools({tool.name: tool for tool in ALL})
    assert tools["fake.void"].name == "fake.void"
    assert "fake.void" in tools
    assert "fake.missing" not in tools
