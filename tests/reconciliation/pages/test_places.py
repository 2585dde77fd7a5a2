"""Where a person can look: the links of a declared tool stand on the page of the case."""

import json
from typing import Any

import pytest

from agents import declarations
from agents.tools.wire.reach import Reach
from checkpoints import registry
from tests.contract.http_worlds import DECLARATIONS
from tests.engine.turns import Bench
from tests.reconciliation.deskwork import signed_in, unknown_mail

pytestmark = pytest.mark.django_db
FILE = DECLARATIONS / "kinto_refund.json"


def shown(engine: Bench, monkeypatch: pytest.MonkeyPatch, **place: str) -> str:
    """The page of a case whose tool has this place."""
    given = json.loads(FILE.read_text(encoding="utf-8")) | {"places": [place]}
    declared: Any = declarations._made(given, Reach({}, frozenset()))
    case = unknown_mail(engine)
    tool = registry.agents().TOOLS.by_name["fake.nothing"]
    monkeypatch.setattr(tool, "places", declared.places, raising=False)
    page = signed_in(engine.starter).get(f"/t/{engine.tenant.slug}/cases/{case.pk}/")
    return page.content.decode().replace(str(case.action_id), "ACTION")


def test_a_declared_place_is_a_link_with_the_effects_own_id(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = "https://provider.example/find?of={$action_id}"
    page = shown(engine, monkeypatch, label="Their list", url=url, note="as {$action_id}")
    assert '<a href="https://provider.example/find?of=ACTION">Their list</a>' in page
    assert "as ACTION" in page


def test_a_place_whose_value_is_not_there_leaves_the_page_whole(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = shown(engine, monkeypatch, label="Order {order}")
    assert "Where to look" not in page
    assert "Outcome unknown" in page
