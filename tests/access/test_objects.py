"""Ids of other people's objects under one's own address: as if there were no such object."""

from typing import Any, Final
from uuid import UUID

import pytest
from allauth.account.internal.flows.login import record_authentication
from allauth.mfa.models import Authenticator
from django.db import connection
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext

from tests.access.asking import as_manager, nothing_changes, told, with_cookie
from tests.access.routes import METHODS, Route, routes
from tests.access.table import row_of
from tests.access.world import World, passkey

NOBODYS: Final[dict[type, Any]] = {UUID: UUID(int=7), int: 987_654_321, str: "0" * 64}
PLACES = [(route, name) for route in routes() if "tenant" in route.takes for name in route.ids]


@pytest.mark.parametrize(
    ("route", "name"), PLACES, ids=[f"{route.name}-{name}" for route, name in PLACES]
)
def test_a_foreign_id_is_as_one_that_does_not_exist(
    route: Route, name: str, home: World, elsewhere: World
) -> None:
    asking, foreign = as_manager(home), elsewhere.names[name]
    nobodys = NOBODYS[type(foreign)]
    for method in METHODS:
        if row_of(route.name).needs(method) is None:
            continue
        # The whole address is taken out: a small number alone stands in much else of a page.
        addresses = [route.address({**home.names, name: id_}) for id_ in (foreign, nobodys)]
        with nothing_changes():
            answers, questions = _asked(asking, method, addresses)
        # A clock would be unfair: what takes time is what PostgreSQL is asked.
        assert questions[0] == questions[1], "the time it takes would tell"
        assert [answer.status_code for answer in answers] == [404, 404]
        bodies = [
            told(answer).replace(address.encode(), b"?")
            for answer, address in zip(answers, addresses, strict=True)
        ]
        assert bodies[0] == bodies[1]


def _asked(asking: Client, method: str, addresses: list[str]) -> tuple[list[Any], list[int]]:
    """The answers, and how many questions each was to PostgreSQL."""
    answers, questions = [], []
    for address in addresses:
        with CaptureQueriesContext(connection) as asked:
            answers.append(asking.generic(method, address))
        questions.append(len(asked))
    return answers, questions


def test_a_passkey_is_removed_by_its_holder_only(home: World) -> None:
    viewer, someones = home.people["viewer"], home.names["pk"]
    own, client = passkey(viewer).pk, with_cookie(home.sessions["viewer"])
    confirmed = RequestFactory().get("/")
    confirmed.user, confirmed.session = viewer, client.session
    record_authentication(confirmed, viewer, "mfa", type="webauthn", reauthenticated=True)
    confirmed.session.save()
    page = "/me/sign-in/passkeys/{}/removal/"
    assert client.get(page.format(own)).status_code == 200
    with nothing_changes():
        assert client.get(page.format(someones)).status_code == 404
        assert client.post(page.format(someones)).status_code == 404
    assert client.post(page.format(own)).status_code == 302
    assert list(
        Authenticator.objects.values_list("pk", flat=True).filter(pk__in=[own, someones])
    ) == [someones]


def test_every_id_in_an_address_is_of_both_worlds(home: World, elsewhere: World) -> None:
    for route in routes():
        for name in route.ids:
            assert home.names[name] != elsewhere.names[name]
