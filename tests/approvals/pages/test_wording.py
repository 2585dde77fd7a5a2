"""The sentences of a request: true for its state, its run and its graph."""

import pytest

from approvals.models import ApprovalRequest
from approvals.pages import wording
from checkpoints.models import Run
from tests.approvals.questions import asked, decide, make_due
from tests.engine.turns import Bench
from tests.journeys.places import asked_for, waiting_run
from tests.people import dee, make_tenant

pytestmark = pytest.mark.django_db


@pytest.fixture
def request_of() -> ApprovalRequest:
    dee(make_tenant())
    return asked()


def said(request: ApprovalRequest, yes: int = 0, needed: int = 1) -> str:
    return wording.standing(request, yes=yes, needed=needed)


def test_an_open_request_counts_the_yes_it_has(request_of: ApprovalRequest) -> None:
    assert said(request_of) == "The run waits for an answer. Nothing is sent before a yes."
    assert said(request_of, yes=1, needed=2).startswith("1 of 2 people have said yes.")


def test_an_approved_request_says_what_holds_it_back(request_of: ApprovalRequest) -> None:
    decide(request_of, dee(request_of.tenant))
    request_of.refresh_from_db()
    assert said(request_of).startswith("Dee approved this. A worker makes the dry run once more")
    request_of.run = Run(status="waiting", reason="for_stop")
    assert "effects are stopped here" in said(request_of)
    request_of.run = Run(status="held", reason="crash_loop")
    assert "the run is on hold" in said(request_of)


@pytest.mark.parametrize("state", ["used", "rejected", "sent_back", "expired", "withdrawn"])
def test_every_closed_state_has_a_sentence(request_of: ApprovalRequest, state: str) -> None:
    request_of.state, request_of.closed_by, request_of.closed_because = state, "Dee", "Why."
    text = said(request_of)
    assert "%" not in text
    assert ("sent once" in text) == (state == "used")
    assert ("Nothing was sent" in text) == (state != "used")


def test_a_request_past_its_time_is_void(request_of: ApprovalRequest) -> None:
    make_due(request_of)
    request_of.state = "expired"
    assert "void" in said(request_of)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("task_type", "goes_on"), [("steps", True), ("strict", False)])
def test_what_follows_a_no_is_read_from_the_graph(
    engine: Bench, task_type: str, goes_on: bool
) -> None:
    run = engine.start(task_type, tool="fake.void", what="a")
    engine.turn()
    follows = wording.follows(asked_for(run), still_missing=1)
    assert ("goes on without it" in follows.reject) == goes_on
    assert ("The run ends" in follows.send_back) != goes_on


@pytest.mark.django_db(transaction=True)
def test_what_follows_a_yes_counts_who_is_still_missing(engine: Bench) -> None:
    asked_now = asked_for(waiting_run(engine))
    assert "sent, once" in wording.follows(asked_now, still_missing=1).approve
    assert "and 1 more is needed" in wording.follows(asked_now, still_missing=2).approve
    assert "and 2 more are needed" in wording.follows(asked_now, still_missing=3).approve


def test_a_task_type_this_code_does_not_know_has_no_promise(request_of: ApprovalRequest) -> None:
    follows = wording.follows(request_of, still_missing=1)
    assert follows.reject.startswith("Nothing is sent.")


@pytest.mark.parametrize(
    ("size", "words"),
    [
        ({"files": 1, "lines": 1200}, "1 file, 1,200 lines"),
        ({"amount": 8200000, "currency": "EUR"}, "82,000.00 EUR"),
        ({"amount": 500, "currency": "JPY", "recipients": 2}, "500 JPY, 2 recipients"),
        ({"deletions": 3, "odd": "thing"}, "3 deletions"),
        ({}, "not measured"),
    ],
)
def test_a_size_is_said_in_units(size: dict[str, object], words: str) -> None:
    assert wording.magnitude(size) == words


def test_the_demand_names_numbers_and_kind_of_people() -> None:
    assert wording.demand(1, yes=0) == "0 of 1 yes, from a person who did not start the run"
    assert wording.demand(2, yes=1).startswith("1 of 2 yes, from different people")
