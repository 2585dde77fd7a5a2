"""Every route again, as the web process' own database user: the second wall changes no answer."""

import re
from typing import Any, Final

import pytest

from tests.access import test_matrix
from tests.access.asking import clients, told
from tests.access.routes import Route, routes
from tests.access.table import ROWS
from tests.access.world import World
from tests.wall.role import answering_as_web

pytestmark = pytest.mark.usefixtures("web_user")
EACH: Final = pytest.mark.parametrize("route", routes(), ids=lambda route: route.name)
MEASURED: Final = re.compile(rb"[0-9.]+ ms")
# The one has a fresh challenge each time, the other says whether the wall stands.
NEVER_THE_SAME: Final = ("mfa_login_webauthn", "system")


@EACH
def test_everybody_is_shown_the_same_bytes(route: Route, home: World, elsewhere: World) -> None:
    if ROWS[route.name].get is None:
        return
    address = route.address(home.names)
    for persona, asking in clients(home, elsewhere).items():
        plain = asking.get(address)
        with answering_as_web():
            walled = asking.get(address)
        assert walled.status_code == plain.status_code, persona
        assert shown(walled) == shown(plain) or route.name in NEVER_THE_SAME, persona


@EACH
def test_everybody_gets_what_the_table_says(route: Route, home: World, elsewhere: World) -> None:
    with answering_as_web():
        test_matrix.test_everybody_gets_what_the_table_says(route, home, elsewhere)


def shown(answer: Any) -> bytes:
    """What an answer says, but for what was measured."""
    return MEASURED.sub(b"", told(answer))
