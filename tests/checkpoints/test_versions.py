"""What a combo says is read from its manifest alone, and once."""

from typing import Any

import pytest

from canonical import json as canonical
from checkpoints import versions
from checkpoints.errors import NotInComboError
from checkpoints.models import Combo

SAID: dict[str, Any] = {
    "task_type": "x",
    "model": "small at the dock at models.example:81",
    "prompts": {"think": "Think."},
    "rules": {"rules_schema": 1},
    "settings": {"deadline_seconds": {"think": 9}},
    "versions": {"data": "7"},
}


def of(said: dict[str, Any]) -> versions.Versions:
    return versions.of(Combo(task_type="x", manifest=canonical.dumps(said)))


def test_texts_and_versions_are_those_of_the_manifest() -> None:
    says = of(SAID)
    assert says.prompt("think") == "Think."
    assert says.rules == {"rules_schema": 1}
    assert says.settings["deadline_seconds"] == {"think": 9}
    assert says.versions["data"] == "7"
    assert (says.model_name, says.model_host) == ("small at the dock", "models.example:81")


def test_the_stand_in_is_a_host_without_a_name() -> None:
    says = of({"model": "stand-in"})
    assert (says.model_name, says.model_host) == ("", "stand-in")


def test_a_prompt_that_a_combo_lacks_is_named_beside_those_it_has() -> None:
    with pytest.raises(NotInComboError, match=r"no prompt 'act'; it has: think"):
        of(SAID).prompt("act")


def test_two_runs_of_a_combo_share_what_it_says_and_none_can_change_it() -> None:
    assert of(SAID) is of(dict(SAID))
    with pytest.raises(TypeError):
        of(SAID).prompts["think"] = "Do not."  # type: ignore[index]
