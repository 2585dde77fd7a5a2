"""What this installation runs, and the combos that its code makes."""

from typing import Any

import pytest

from canonical import digests
from checkpoints import registry
from checkpoints.errors import UnknownTaskTypeError
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


def test_a_process_can_run_only_the_combos_it_would_make(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = registry.combo_of("steps").pk
    monkeypatch.setattr(agents, "manifest", _of_other_code)
    now = registry.runnable_combos()
    assert old not in now
    assert registry.combo_of("steps").pk in now


def _of_other_code(task_type: str) -> dict[str, Any]:
    return {"task_type": task_type, "code": "other"}
