"""Every route, asked by everybody, in every method: the table says what must come of it."""

import re
from typing import Any, Final

import pytest

from tests.access.asking import as_manager, clients, nothing_changes, told, with_cookie
from tests.access.routes import METHODS, Route, routes
from tests.access.table import ANONYMOUS, FOREIGN, ROWS, refusal, row_of
from tests.access.world import World

ALL = routes()
OF_TENANTS = [route for route in ALL if "tenant" in route.takes]
REFUSED: Final = (401, 403, 404, 405)
AS_A_FRAGMENT: Final = {"HX-Request": "true"}
# A session is kept when it is visited; which parts of a change were opened, when it is read.
KEPT_OF_VISITS: Final = ("django_session",)
KEPT_OF_READING: Final = ("approvals_openedpart",)
NO_SUCH_TENANT: Final = "no-such-tenant"
# They read one snapshot in a transaction of their own, which there is none of inside a test's.
SNAPSHOTS: Final = ("run_evidence", "reconciliation:action_evidence")


def test_every_route_has_a_row_and_every_row_a_route() -> None:
    names = [route.name for route in ALL]
    assert "" not in names
    assert len(names) == len(set(names))
    assert set(names) == set(ROWS)


@pytest.mark.parametrize("route", ALL, ids=lambda route: route.name)
def test_everybody_gets_what_the_table_says(route: Route, home: World, elsewhere: World) -> None:
    row, address, asking = row_of(route.name), route.address(home.names), clients(home, elsewhere)
    expected = {
        (method, persona): refusal(row, persona, method) for method in METHODS for persona in asking
    }
    refused = {cell: status for cell, status in expected.items() if status is not None}
    with nothing_changes():
        got = {(m, who): asking[who].generic(m, address) for m, who in refused}
    assert {cell: answer.status_code for cell, answer in got.items()} == refused
    for (_method, persona), answer in got.items():
        if persona == ANONYMOUS and answer.status_code == 302:
            assert answer["Location"].startswith("/sign-in/?next=")
    for method, persona in expected.keys() - refused.keys():
        answer = asking[persona].generic(method, address)
        fault = answer.status_code >= 500
        assert answer.status_code not in REFUSED, (method, persona)
        assert not fault or (method == "POST" and route.name in SNAPSHOTS), (method, persona)
        told(answer)  # read to its end, as a browser does


@pytest.mark.parametrize("route", OF_TENANTS, ids=lambda route: route.name)
def test_a_foreign_tenant_is_as_one_that_does_not_exist(
    route: Route, home: World, elsewhere: World
) -> None:
    asking = clients(home, elsewhere)[FOREIGN]

    def address(slug: str) -> str:
        return route.address({**home.names, "tenant": slug})

    for method in METHODS:
        if row_of(route.name).needs(method) is not None:
            answers = [
                seen(asking.generic(method, address(slug), headers=headers), slug)
                for headers in ({}, AS_A_FRAGMENT)
                for slug in (home.slug, NO_SUCH_TENANT)
            ]
            assert answers[::2] == answers[1::2]
            assert {status for status, *_ in answers} == {404}


@pytest.mark.parametrize(
    "route", [each for each in ALL if row_of(each.name).get], ids=lambda route: route.name
)
def test_looking_changes_nothing(route: Route, home: World) -> None:
    address, asking = route.address(home.names), as_manager(home)
    with nothing_changes(KEPT_OF_VISITS):
        told(asking.head(address))
        told(asking.get(address, headers={"Sec-Purpose": "prefetch"}))
    with nothing_changes((*KEPT_OF_VISITS, *KEPT_OF_READING)):
        told(asking.get(address))


@pytest.mark.parametrize(
    "route", [each for each in ALL if row_of(each.name).post], ids=lambda route: route.name
)
def test_no_form_is_taken_without_its_token(route: Route, home: World) -> None:
    client = with_cookie(home.sessions["manager"], strict=True)
    with nothing_changes():
        answer = client.post(route.address(home.names))
    assert answer.status_code == 403


def test_without_the_demo_it_has_no_pages(home: World, settings: Any) -> None:
    settings.KEDGE_DEMO = False
    asking = as_manager(home)
    for route in ALL:
        if route.name in {"demo", "demo_plugged", "pull_the_plug", "outside_world", "sign_in_link"}:
            method = "GET" if row_of(route.name).get else "POST"
            assert asking.generic(method, route.address(home.names)).status_code == 404


def seen(answer: Any, slug: str) -> tuple[int, bytes, dict[str, str]]:
    """All that an answer says, but for the slug that was asked about and the time of day."""
    said = re.sub(rb"known at \d\d:\d\d:\d\d", b"known at ?", told(answer))
    # "now" and "1 s ago" have not the same length.
    timed = ("Expires", "Content-Length")
    headers = {name: value for name, value in answer.headers.items() if name not in timed}
    return answer.status_code, said.replace(slug.encode(), b"?"), headers
