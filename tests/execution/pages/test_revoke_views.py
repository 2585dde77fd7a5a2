"""Revoking from a page: what is said before the button, and what the button does."""

import pytest
from django.test import Client

from checkpoints.models import Run
from tests.engine.turns import Bench
from tests.execution.pages.visits import page_of, signed_in, words
from tests.execution.problems.making import leased, past
from tests.people import bob

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def operator(engine: Bench) -> Client:
    return signed_in(engine.starter)


@pytest.fixture
def run(engine: Bench) -> Run:
    return past(leased(engine).run_id, created_at=9999, woken_at=9999)


def test_it_says_what_follows_and_asks_for_a_reason(
    engine: Bench, operator: Client, run: Run
) -> None:
    url = page_of(engine, run, "revocation/")
    assert url in operator.get(page_of(engine, run)).content.decode()
    said = words(operator.get(url))
    assert "Revoke: 0 effects sent again" in said
    assert "It was taken up or committed last 2 h" in said
    assert "expected is within 5 min." in said
    assert "goes on from checkpoint #0, at the node look." in said
    assert operator.post(url, {"reason": " "}).status_code == 422
    assert Run.objects.get().status == "running"
    assert operator.post(url, {"reason": "it hangs"}).status_code == 302
    assert (Run.objects.get().status, Run.objects.get().reason) == ("queued", "interrupted")
    assert "Ada took it from its worker" in words(operator.get(page_of(engine, run)))
    log = words(operator.get(page_of(engine, run, "log/")))
    assert "it hangs" in log


def test_nobody_is_told_that_nothing_needs_to_be_done(
    engine: Bench, operator: Client, run: Run
) -> None:
    said = words(operator.get(page_of(engine, run)))
    assert "Nobody needs to do anything" not in said
    assert "for longer than the 5 min expected" in said
    assert "See why it is not running" in said


def test_one_that_gets_on_is_said_to_get_on(engine: Bench, operator: Client) -> None:
    lease = leased(engine)
    said = words(operator.get(page_of(engine, Run.objects.get(pk=lease.run_id), "revocation/")))
    assert "A worker that gets on loses its work of this node." in said


def test_nobody_is_offered_it_for_a_run_that_nobody_has(engine: Bench, operator: Client) -> None:
    run = engine.start(steps=1)
    url = page_of(engine, run, "revocation/")
    assert url not in operator.get(page_of(engine, run)).content.decode()
    assert operator.get(url).status_code == 409
    assert operator.post(url, {"reason": "x"}).status_code == 409


def test_it_takes_the_right_to_operate(engine: Bench, run: Run) -> None:
    viewer = signed_in(bob(engine.tenant))
    url = page_of(engine, run, "revocation/")
    assert url not in viewer.get(page_of(engine, run)).content.decode()
    assert viewer.post(url, {"reason": "x"}).status_code == 403
    assert Run.objects.get().status == "running"


def test_it_is_offered_though_somebody_asked_to_cancel(
    engine: Bench, operator: Client, run: Run
) -> None:
    operator.post(page_of(engine, run, "cancellation/"), {"reason": "stop it"})
    assert (
        page_of(engine, run, "revocation/") in operator.get(page_of(engine, run)).content.decode()
    )
