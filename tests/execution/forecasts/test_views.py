"""The forecast as a fragment and as a page."""

import pytest
from django.test import Client

from tests.engine.turns import Bench
from tests.execution.pages.visits import page_of, signed_in, words
from tests.execution.runs import waiting
from tests.people import bob, cy

pytestmark = pytest.mark.django_db(transaction=True)
FRAGMENT = {"HTTP_HX_REQUEST": "true"}


def test_a_page_and_a_fragment_say_the_same(engine: Bench) -> None:
    run = waiting(engine)
    client, url = signed_in(bob(engine.tenant)), page_of(engine, run, "forecast/")
    said = "Resume: 0 effects sent again, 1 needs an approval."
    page, fragment = client.get(url), client.get(url, **FRAGMENT)  # type: ignore[arg-type]
    assert said in words(page)
    assert said in words(fragment)
    assert "<html" not in fragment.content.decode()
    assert "Need an approval" not in words(fragment)
    assert "Needs an approval first: 1 effect write a-0 fake.void" in words(fragment)


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("?transition=cancel", "Cancel: 0 effects sent again, 1 is never sent."),
        ("?transition=go_on_from&seq=1", "Go on from checkpoint 1: 0 effects sent again"),
        ("?transition=fork&seq=0", "Fork from checkpoint 0: 0 effects sent again"),
    ],
)
def test_each_transition_has_its_own(engine: Bench, query: str, said: str) -> None:
    run = waiting(engine)
    client = signed_in(bob(engine.tenant))
    assert said in words(client.get(page_of(engine, run, "forecast/") + query))


@pytest.mark.parametrize(
    "query", ["?transition=fork", "?transition=fork&seq=999", "?transition=x", "?seq=-1"]
)
def test_what_makes_no_sense_is_refused(engine: Bench, query: str) -> None:
    run = waiting(engine)
    client = signed_in(bob(engine.tenant))
    assert client.get(page_of(engine, run, "forecast/") + query).status_code == 400


def test_a_stranger_sees_none(engine: Bench) -> None:
    client: Client = signed_in(cy())
    assert client.get(page_of(engine, waiting(engine), "forecast/")).status_code == 404
