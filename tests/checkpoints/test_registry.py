"""What this installation runs, and the combos that its code makes."""

from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries

from canonical import digests
from canonical import json as canonical
from checkpoints import registry
from checkpoints.errors import UnknownTaskTypeError, UnknownVariantError
from checkpoints.models import Combo
from tests.engine import registry as agents
from tests.engine.turns import Bench


def test_an_unknown_task_type_is_named_beside_the_known_ones(engine: Bench) -> None:
    with pytest.raises(UnknownTaskTypeError, match=r"'nonsense'; known: .*steps"):
        registry.graph_of("nonsense")


def test_a_combo_is_stored_once_by_its_digest(engine: Bench) -> None:
    first, again = registry.combo_of("steps"), registry.combo_of("steps")
    assert first == again
    assert bytes(first.digest).hex() == digests.sha256_hex(bytes(first.manifest))


def test_another_manifest_is_another_combo(engine: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    before = registry.combo_of("steps")
    monkeypatch.setattr(agents, "manifest", _of_other_code)
    assert registry.combo_of("steps") != before
    assert Combo.objects.filter(task_type="steps").count() == 2


def test_a_process_cannot_run_combos_of_other_code(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = registry.combo_of("steps")
    monkeypatch.setattr(agents, "manifest", _of_other_code)
    now = registry.runnable_combos()
    assert old.pk not in now
    assert not registry.runs_here(old)
    assert registry.combo_of("steps").pk in now


@pytest.mark.parametrize("name", ["prompts", "rules", "settings"])
def test_a_process_runs_every_combo_that_differs_in_texts_alone(engine: Bench, name: str) -> None:
    other = stored({name: {"think": "otherwise"}})
    assert other != registry.combo_of("steps")
    assert registry.runs_here(other)
    assert {other.pk, registry.combo_of("steps").pk} <= set(registry.runnable_combos())


def test_the_version_of_the_data_and_the_name_of_the_model_are_texts(engine: Bench) -> None:
    first = stored({"model": "a at host", "versions": {"data": "1", "ruff": "1"}})
    other = stored({"model": "b at host", "versions": {"data": "2", "ruff": "1"}})
    assert bytes(first.code_part) == bytes(other.code_part)


@pytest.mark.parametrize(
    "said",
    [
        {"code": "other"},
        {"tools": {"fake.void": {"version": "2"}}},
        {"state_schema": 2},
        {"state_schemas": {"1": {"type": "object"}}},
        {"input_schema": {"type": "object"}},
        {"practice": "other"},
        {"lock": "other"},
        {"model": "a at elsewhere"},
        {"versions": {"data": "1", "ruff": "2"}},
        {"something": "nobody has heard of"},
    ],
)
def test_whatever_else_differs_needs_another_worker(engine: Bench, said: dict[str, Any]) -> None:
    other = stored(said)
    assert other.pk not in registry.runnable_combos()
    assert not registry.runs_here(other)


def test_what_can_be_run_is_asked_in_one_query(
    engine: Bench, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    registry.runnable_combos()
    with django_assert_num_queries(1):
        registry.runnable_combos()


def test_a_variant_that_is_not_there_is_named_beside_the_known_ones(engine: Bench) -> None:
    with pytest.raises(UnknownVariantError, match=r"no variant 'bold'; it has: none"):
        registry.combo_of("steps", "bold")


def stored(said: dict[str, Any]) -> Combo:
    manifest = canonical.dumps({**agents.manifest("steps"), **said})
    digest = bytes.fromhex(digests.sha256_hex(manifest))
    Combo.objects.create(task_type="steps", digest=digest, manifest=manifest)
    return Combo.objects.get(digest=digest)


def _of_other_code(task_type: str) -> dict[str, Any]:
    return {"task_type": task_type, "code": "other"}
