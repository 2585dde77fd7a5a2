"""The facts of a request: what the answer is bound to, each with its age, none able to fake another."""

import pytest

from approvals import judging
from approvals.pages import facts
from tests.approvals.asking import question
from tests.approvals.questions import ask, make_run
from tests.people import make_tenant

pytestmark = pytest.mark.django_db


def told(**columns: str) -> dict[str, list[facts.Fact]]:
    run = make_run(make_tenant(), **columns)
    asked = ask(question(run, b"+x\n", "text/plain"))
    by_label: dict[str, list[facts.Fact]] = {}
    for fact in facts.of(asked, judging.bound_of(asked)):
        by_label.setdefault(fact["label"], []).append(fact)
    return by_label


def test_everything_the_dry_run_saw_is_named_with_when_and_absence_too() -> None:
    saw = told()["The dry run saw"]
    assert [fact["value"] for fact in saw] == ["origin/gone: not there", "origin/main at aaaaaaaa"]
    assert all(fact["at"] is not None for fact in saw)


def test_who_started_it_and_for_whom() -> None:
    by_label = told(on_behalf_of="noor@kedge.example")
    assert by_label["Started by"][0]["value"] == "Ada"
    assert by_label["Started by"][0]["note"] == "On behalf of noor@kedge.example."


def test_a_run_is_linked_and_says_why_it_is_where_it_is() -> None:
    (run,) = told(sentence="Waits for a yes.")["Run"]
    assert run["url"].startswith("/t/acme/runs/")
    assert run["note"] == "Waits for a yes."


def test_hidden_characters_of_a_name_are_marks() -> None:
    (run,) = told(business_key="a\u202eb")["Run"]
    assert run["value"] == "demo · a⟦U+202E⟧b"


def test_a_damaged_request_is_told_without_what_it_would_be_bound_to() -> None:
    asked = ask(question(make_run(make_tenant()), b"+x\n", "text/plain"))
    labels = {fact["label"] for fact in facts.of(asked, None)}
    assert "The dry run saw" not in labels
    assert "Target" in labels
