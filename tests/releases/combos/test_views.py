"""The pages of combos: a list, one of them, two side by side, of what the tenant may see."""

import pytest
from django.urls import reverse

from canonical import digests
from checkpoints import registry
from checkpoints.models import Combo
from releases.combos import registering
from tenants.actors import Actor
from tests.checkpoints.combos import another
from tests.engine.conftest import engine
from tests.engine.turns import Bench
from tests.execution.pages.visits import page_of, signed_in, words

__all__ = ["engine"]
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def pair(engine: Bench) -> tuple[Combo, Combo]:
    old, _ = registering.register("steps", actor=Actor.machine("shell"))
    return old, another("steps", "Think twice.")


def address(engine: Bench, name: str, *combos: Combo) -> str:
    return reverse(name, args=[engine.tenant.slug, *(each.hex for each in combos)])


def test_the_list_names_each_combo_who_runs_it_and_how_many_runs_it_has(
    engine: Bench, pair: tuple[Combo, Combo]
) -> None:
    engine.start(steps=1)
    said = words(signed_in(engine.starter).get(address(engine, "combos") + "?task=steps"))
    assert all(str(combo) in said for combo in pair)
    assert "its own files" in said
    assert "not registered" in said
    assert "no live worker" in said


def test_two_are_chosen_in_the_list_and_shown_side_by_side(
    engine: Bench, pair: tuple[Combo, Combo]
) -> None:
    old, new = (each.hex for each in pair)
    client = signed_in(engine.starter)
    chosen = client.get(address(engine, "combos"), {"task": "steps", "old": old, "new": new})
    assert chosen["Location"] == address(engine, "combo_pair", *pair)
    page = client.get(chosen["Location"])
    assert "Think twice." in words(page)
    assert b"diff-beside" in page.content
    below = client.get(chosen["Location"] + "?below")
    assert b"diff-beside" not in below.content
    wrong = client.get(address(engine, "combos"), {"task": "steps", "old": old, "new": "x"})
    assert "Select a valid choice" in words(wrong)


def test_equal_texts_are_said_to_be_equal(engine: Bench, pair: tuple[Combo, Combo]) -> None:
    page = signed_in(engine.starter).get(address(engine, "combo_pair", pair[0], pair[0]))
    assert "Every text is the same" in words(page)


def test_one_combo_shows_all_that_it_says(engine: Bench, pair: tuple[Combo, Combo]) -> None:
    said = words(signed_in(engine.starter).get(address(engine, "combo", pair[1])))
    assert "Think twice." in said
    assert "rules.json" in said


def test_two_task_types_have_nothing_to_compare(engine: Bench, pair: tuple[Combo, Combo]) -> None:
    strict = registry.combo_of("strict")
    url = address(engine, "combo_pair", pair[0], strict)
    assert signed_in(engine.starter).get(url).status_code == 404


def test_a_combo_that_is_none_of_the_tenants_business_is_not_there(engine: Bench) -> None:
    manifest = b'{"code":"elsewhere","task_type":"steps"}'
    digest = bytes.fromhex(digests.sha256_hex(manifest))
    foreign = Combo.objects.create(task_type="steps", digest=digest, manifest=manifest)
    client = signed_in(engine.starter)
    assert client.get(address(engine, "combo", foreign)).status_code == 404
    assert str(foreign) not in words(client.get(address(engine, "combos") + "?task=steps"))


def test_a_run_leads_to_its_combo(engine: Bench) -> None:
    run = engine.start(steps=1)
    page = signed_in(engine.starter).get(page_of(engine, run)).content.decode()
    assert address(engine, "combo", run.combo) in page
