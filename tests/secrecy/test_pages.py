"""No page says a secret, also not to those who may read payloads: they see marks."""

import json
from contextlib import suppress

import pytest
from django.test import Client
from django.urls import NoReverseMatch, URLPattern, URLResolver, get_resolver, reverse

from approvals.models import ApprovalRequest
from checkpoints.models import Run
from reconciliation.models import Action
from tenants.actors import Actor
from tenants.keys import keeping
from tenants.models import User
from tests.engine.turns import Bench
from tests.execution.pages.visits import page_of, signed_in, words
from tests.people import bob
from tests.secrecy.registry import GIVEN, PERSON
from tests.secrecy.sinks import leaks

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def asked(careless: Bench, run: Run) -> ApprovalRequest:
    """The open question of a careless run."""
    careless.turn()
    return ApprovalRequest.objects.get(run=run)


def addresses(asked: ApprovalRequest) -> list[str]:
    """Every page and fragment of the tenant that can be opened with what this request names."""
    action = Action.objects.get()
    ids = {
        "tenant": asked.tenant.slug,
        "run_id": asked.run_id,
        "request_id": asked.pk,
        "action_id": action.pk,
        "seq": 2,
        "old": 1,
        "new": 2,
        "number": 1,
        "of": "diff",
    }
    found = []
    for name, names in routes(get_resolver().url_patterns):
        if "tenant" in names and set(names) <= set(ids):
            with suppress(NoReverseMatch):  # a name that another route has too
                found.append(reverse(name, kwargs={each: ids[each] for each in names}))
    return found


def routes(
    patterns: list[URLPattern | URLResolver], space: str = "", above: tuple[str, ...] = ()
) -> list[tuple[str, list[str]]]:
    """Every named route with the names of what it takes."""
    found: list[tuple[str, list[str]]] = []
    for each in patterns:
        names = [*above, *each.pattern.converters]
        if isinstance(each, URLResolver):
            inner = f"{space}{each.namespace}:" if each.namespace else space
            found += routes(each.url_patterns, inner, tuple(names))
        elif each.name:
            found.append((f"{space}{each.name}", names))
    return found


def opened(person: User, asked: ApprovalRequest) -> dict[str, bytes]:
    """What this person is shown at every address that they may open."""
    client: Client = signed_in(person)
    answers = {address: client.get(address) for address in addresses(asked)}
    return {
        address: b"".join(answer) if answer.streaming else answer.content
        for address, answer in answers.items()
        if answer.status_code == 200
    }


def test_every_page_shows_marks_and_no_secret(careless: Bench, asked: ApprovalRequest) -> None:
    seen = opened(careless.starter, asked)
    assert len(seen) > 15
    assert {address: leaks(content) for address, content in seen.items() if leaks(content)} == {}
    assert not [address for address, content in seen.items() if b"$encrypted" in content]
    assert sum("«secret" in content.decode() for content in seen.values()) >= 5


def test_the_same_secret_shows_the_same_fingerprint(
    careless: Bench, asked: ApprovalRequest
) -> None:
    page = signed_in(careless.starter).get(page_of(careless, asked.run)).content.decode()
    mark = next(part.split("»")[0] for part in page.split("«secret ")[1:])
    for rest in ("checkpoints/1/", "checkpoints/2/"):
        assert mark in words(signed_in(careless.starter).get(page_of(careless, asked.run, rest)))
    assert mark in asked.describe


def test_without_the_right_there_are_no_payloads(careless: Bench, asked: ApprovalRequest) -> None:
    seen = opened(bob(careless.tenant), asked)
    assert {address: leaks(content) for address, content in seen.items() if leaks(content)} == {}
    page = seen[page_of(careless, asked.run)].decode()
    assert PERSON not in page
    assert "password" not in page


def test_an_erased_person_shows_as_erased(careless: Bench, asked: ApprovalRequest) -> None:
    shell = Actor.machine("test")
    keeping.erase(careless.tenant, PERSON, actor=shell, reason="asked for it")
    said = words(signed_in(careless.starter).get(page_of(careless, asked.run)))
    assert "«erased " in said
    assert "«personal" not in said.split("Input")[-1].split("}")[0]


def test_a_run_that_needs_what_was_erased_is_held_for_a_person(
    careless: Bench, asked: ApprovalRequest
) -> None:
    keeping.erase(careless.tenant, PERSON, actor=Actor.machine("test"), reason="asked for it")
    careless.decide(asked.run)
    careless.turn()
    asked.run.refresh_from_db()
    assert (asked.run.status, asked.run.reason) == ("held", "missing_blob")
    assert "was destroyed" in asked.run.sentence


def test_a_new_run_like_this_one_begins_without_its_secrets(
    careless: Bench, asked: ApprovalRequest
) -> None:
    page = signed_in(careless.starter).get(
        reverse("start_run", args=[careless.tenant.slug]) + f"?like={asked.run_id}"
    )
    assert leaks(page.content) == []
    assert "«" not in words(page).split("business", 1)[-1]
    empty = json.dumps({**GIVEN, "password": ""}, indent=2).splitlines()[1]
    assert empty.split(":")[0].strip() in words(page)
