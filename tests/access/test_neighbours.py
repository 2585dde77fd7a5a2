"""Nothing of a foreign tenant shows in pages, counts, facets, searches, files or log lines."""

import json
from typing import Any, Final
from urllib.parse import quote, quote_plus, urlencode
from uuid import uuid4

import pytest
from django.utils.html import escape

from reconciliation.models import Action
from tenants.access import grant
from tests.access import world
from tests.access.asking import as_manager, told, with_cookie
from tests.access.routes import METHODS, Route, routes
from tests.access.table import row_of
from tests.access.world import World, session
from tests.people import make_tenant
from tests.secrecy.sinks import logged

PAGES: Final = [route for route in routes() if row_of(route.name).get]
COUNTING: Final = ("", "inbox/", "runs/?window=all", "runs/?status=held&window=all", "search/?q=x")
# No page but their owners' own names these.
UNNAMED: Final = ("batch_id", "hand_over_id", "verdict_id")


@pytest.mark.parametrize("route", PAGES, ids=lambda route: route.name)
def test_no_page_of_mine_says_a_word_of_theirs(route: Route, home: World, elsewhere: World) -> None:
    body = told(as_manager(home).get(route.address(home.names), follow=True))
    assert marks_in(body, elsewhere) == []
    assert elsewhere.slug.encode() not in body


def test_the_words_looked_for_stand_on_their_owners_pages(elsewhere: World) -> None:
    asking = as_manager(elsewhere)
    addresses = [each.address(elsewhere.names) for each in PAGES if "tenant" in each.takes]
    seen = b"".join(told(asking.get(address)) for address in addresses)
    unnamed = {str(elsewhere.names[name]) for name in UNNAMED}
    assert {*elsewhere.marks} - {*marks_in(seen, elsewhere)} == unnamed


@pytest.mark.parametrize("page", COUNTING)
def test_counts_and_facets_are_of_mine_alone(page: str, home: World, elsewhere: World) -> None:
    asking, address = as_manager(home), f"/t/{home.slug}/{page}"
    before = told(asking.get(address))
    world.more(elsewhere)
    assert told(asking.get(address)) == before
    world.more(home)
    assert told(asking.get(address)) != before


def test_home_across_tenants_counts_only_ones_own(home: World, elsewhere: World) -> None:
    both = world.person("both", "Both", home.tenant, ("view_runs", "approve_actions"))
    grant(make_tenant("third"), both, "view_runs")
    asking = with_cookie(session(both))
    before = told(asking.get("/"))
    assert home.tenant.name.encode() in before
    assert elsewhere.tenant.name.encode() not in before
    world.more(elsewhere)
    assert told(asking.get("/")) == before
    world.more(home)
    assert told(asking.get("/")) != before


@pytest.mark.parametrize("what", ["run", "action", "key", "beginning", "target"])
def test_search_finds_nothing_of_theirs(what: str, home: World, elsewhere: World) -> None:
    texts = [searched(each)[what] for each in (home, elsewhere)]
    asking, nothing = as_manager(home), str(uuid4())
    mine, theirs, nobodys = (
        asking.get(f"/t/{home.slug}/search/", {"q": text}) for text in (*texts, nothing)
    )
    assert mine.status_code == 302 or texts[0].encode() in told(mine)
    assert theirs.status_code == nobodys.status_code == 200
    assert without(theirs, texts[1]) == without(nobodys, nothing)


@pytest.mark.parametrize("kind", ["csv", "json"])
def test_the_audit_export_has_rows_of_mine_alone(kind: str, home: World, elsewhere: World) -> None:
    asking, address = as_manager(home), f"/t/{home.slug}/audit/export/"
    body = told(asking.post(address, {"format": kind}))
    assert len(body.splitlines()) > 5
    assert marks_in(body, elsewhere) == []
    theirs = {"format": kind, "subject": str(elsewhere.names["run_id"])}
    lines = told(asking.post(address, theirs)).splitlines()
    assert len(lines) == (1 if kind == "csv" else 0)  # the heading


def test_the_evidence_of_mine_says_nothing_of_theirs(
    taken: dict[str, bytes], home: World, elsewhere: World
) -> None:
    for body in taken.values():
        assert str(home.names["run_id"]).encode() in body
        assert marks_in(body, elsewhere) == []


def test_log_lines_of_refusals_carry_nothing_of_theirs(home: World, elsewhere: World) -> None:
    asking = as_manager(home)
    asked = [
        (method, route.address({**elsewhere.names, "tenant": slug}))
        for route in routes()
        for method in METHODS
        for slug in (elsewhere.slug, home.slug)
        if "tenant" in route.takes and row_of(route.name).needs(method)
    ]
    with logged() as stream:
        for method, address in asked:
            told(asking.generic(method, address))
    lines = stream.getvalue().splitlines()
    assert len(lines) >= len(asked) // 2
    assert all(json.loads(line)["logger"] for line in lines)
    # The ids that were asked for stand there, and nothing that the person did not know.
    unknown = [mark for mark in elsewhere.marks if mark.startswith(elsewhere.slug)]
    assert [mark for mark in unknown if mark in stream.getvalue()] == []


def marks_in(body: bytes, foreign: World) -> list[str]:
    """The words of this tenant that stand in an answer."""
    return [mark for mark in foreign.marks if mark.encode() in body]


def searched(of: World) -> dict[str, str]:
    """What one can search for at a tenant."""
    return {
        "run": str(of.names["run_id"]),
        "action": str(of.names["action_id"]),
        "key": world.key(of.slug, "careless"),
        "beginning": f"{of.slug}-key-",
        "target": Action.objects.get(pk=of.names["action_id"]).target,
    }


def without(answer: Any, text: str) -> str:
    """What an answer says, but for this text in any spelling of it."""
    body = told(answer).decode()
    for spelt in (escape(text), quote(text, safe=""), quote_plus(text), urlencode({"q": text})[2:]):
        body = body.replace(spelt, "?")
    return body
