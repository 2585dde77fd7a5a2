"""What the engine finds: graphs that hold together, tools with a rule each, versions that last."""

import os
import subprocess
import sys

import pytest
from pytest_django import Settings

from agents import registry
from approvals.rules import Effect, Requirement, evaluate
from canonical import json as canonical
from reconciliation.tools import Tools

TASK_TYPES = sorted(registry.GRAPHS)


def test_all_tasks_are_there_and_their_graphs_hold_together() -> None:
    assert TASK_TYPES == [
        "fleet_change",
        "refund_desk",
        "repository_report",
        "revert_change",
        "revert_refund",
        "write_again",
        "write_customer",
    ]
    for graph in registry.GRAPHS.values():
        assert graph.checked() is graph
        assert graph.state_schema in graph.state_schemas


def test_every_tool_of_a_task_is_there_and_needs_a_person() -> None:
    assert isinstance(registry.TOOLS, Tools)
    for task_type, graph in registry.GRAPHS.items():
        rules = registry.manifest(task_type)["rules"]
        for name in graph.manifest.tools:
            assert registry.TOOLS[name].name == name
            sizes, given = {"recipients": 1}, {"number": 1}
            effect = Effect(name, "acme", target="x", magnitude=sizes, parameters=given)
            needs = evaluate(rules, effect)
            assert isinstance(needs, Requirement)
            assert needs.not_starter


@pytest.mark.parametrize("task_type", TASK_TYPES)
def test_a_manifest_is_canonical_and_names_every_version(task_type: str) -> None:
    manifest = registry.manifest(task_type)
    assert canonical.loads(canonical.dumps(manifest)) == manifest
    assert manifest["model"] == "stand-in"
    assert manifest["code"]
    assert manifest["practice"]
    assert manifest["lock"]


def test_the_prompts_stand_in_the_manifest_by_content() -> None:
    prompts = registry.manifest("fleet_change")["prompts"]
    assert sorted(prompts) == ["write_message", "write_summary"]
    assert "maintainer" in prompts["write_message"]


def test_another_model_is_another_combo(settings: Settings) -> None:
    before = canonical.dumps(registry.manifest("fleet_change"))
    settings.KEDGE_MODEL_URL, settings.KEDGE_MODEL = "http://models.example/v1", "small-1"
    settings.KEDGE_MODEL_KEY = "s3cret"
    after = canonical.dumps(registry.manifest("fleet_change"))
    assert b"small-1 at models.example" in after
    assert b"s3cret" not in after
    assert before != after


def test_two_processes_make_the_same_manifest() -> None:
    code = (
        "import django; django.setup()\n"
        "from agents.registry import manifest; from canonical.json import dumps\n"
        "print(dumps(manifest('fleet_change')).decode())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, env=os.environ
    )
    assert done.stdout.strip() == canonical.dumps(registry.manifest("fleet_change"))


def test_an_unknown_task_type_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        registry.manifest("nothing")


def test_what_follows_an_effect_is_a_task_of_this_installation() -> None:
    declared = (*registry.COMPENSATIONS.items(), *registry.FOLLOW_UPS.items())
    for tool, how in declared:
        assert tool in registry.TOOLS
        assert how.task_type in registry.GRAPHS
