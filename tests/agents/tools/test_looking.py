"""A declaration of any kind says where a person can look; no value leads to another server."""

import json
from typing import Any

import pytest

from agents import declarations
from agents.tools.errors import BadDeclaration, BadProposal
from agents.tools.wire.reach import Reach
from reconciliation.tools import Place, Tool
from tests.contract.http_worlds import DECLARATIONS

LINK = "https://provider.example/{$tenant}/find?of="
KINDS: dict[str, dict[str, Any]] = {
    "kinto_refund": {"order": "A-1/..?x=#", "amount": 5},
    "book_refund": {"purchase": "A-1/..?x=#", "amount": 5},
    "store_receipt": {"name": "A-1", "media": "text/plain"},
}
NAMED = {"kinto_refund": "order", "book_refund": "purchase", "store_receipt": "name"}


def declared(kind: str, **place: str) -> Tool:
    given = json.loads((DECLARATIONS / f"{kind}.json").read_text(encoding="utf-8"))
    if place:
        given["places"] = [place]
    return declarations._made(given, Reach({}, frozenset()))


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_leads_to_where_its_effect_would_be(kind: str) -> None:
    name = NAMED[kind]
    tool: Any = declared(
        kind, label=f"{{{name}}} there", url=LINK + f"{{{name}}}", note="{$action_id}"
    )
    value = KINDS[kind][name]
    (found,) = tool.places("acme", KINDS[kind], "a-7")
    quoted = "A-1" if kind == "store_receipt" else "A-1%2F..%3Fx%3D%23"
    assert found == Place(
        f"{value} there", f"https://provider.example/acme/find?of={quoted}", "a-7"
    )


@pytest.mark.parametrize("kind", KINDS)
def test_a_tool_that_declares_none_has_none(kind: str) -> None:
    tool: Any = declared(kind)
    assert tool.places("acme", KINDS[kind], "a-7") == ()


@pytest.mark.parametrize("kind", KINDS)
def test_where_to_look_is_no_part_of_what_the_tool_is(kind: str) -> None:
    assert declared(kind).version == declared(kind, label="There").version


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "place",
    [
        {"label": "There", "url": "https://{$tenant}.example/x"},
        {"label": "There", "url": "javascript:alert(1)"},
        {"label": "There", "url": "https://provider.example@{$tenant}/"},
        {"label": "{nothing}"},
        {"label": "There", "note": "{$key}"},
        {"url": "https://provider.example/"},
    ],
)
def test_a_place_that_leads_elsewhere_is_no_declaration(kind: str, place: dict[str, str]) -> None:
    with pytest.raises(BadDeclaration):
        declared(kind, **place)


@pytest.mark.parametrize("kind", ["kinto_refund", "book_refund"])
def test_nothing_sensitive_stands_in_a_place(kind: str) -> None:
    given = json.loads((DECLARATIONS / f"{kind}.json").read_text(encoding="utf-8"))
    given["parameters"]["properties"][NAMED[kind]]["x-sensitivity"] = "personal"
    given["places"] = [{"label": f"{{{NAMED[kind]}}}"}]
    with pytest.raises(BadDeclaration, match="sensitive"):
        declarations._made(given, Reach({}, frozenset()))


def test_a_value_that_is_the_upper_folder_leads_nowhere() -> None:
    tool: Any = declared("kinto_refund", label="There", url=LINK + "{order}")
    with pytest.raises(BadProposal):
        tool.places("acme", {"order": "..", "amount": 5}, "a-7")
