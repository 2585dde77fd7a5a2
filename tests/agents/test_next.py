"""The next release of the agents, for the demo: its migrator does not read every state."""

import os
import subprocess
import sys
from typing import Any

import pytest

from agents import next as coming
from agents import registry
from canonical import json as canonical
from checkpoints import migrators, versions
from checkpoints.errors import UnmigratableError

TASK = coming.TASK_TYPE


def state(insertions: int, deletions: int) -> dict[str, Any]:
    return {"insertions": insertions, "deletions": deletions, "changed": 1}


def test_it_reads_most_states_and_back() -> None:
    read = migrators.migrate(coming.GRAPH, state(5, 2), 1, 2)
    assert read == {**state(5, 2), "touched": 2}
    assert migrators.migrate(coming.GRAPH, read, 2, 1) == state(5, 2)


def test_it_does_not_read_a_change_that_replaces_line_for_line() -> None:
    with pytest.raises(UnmigratableError, match="ZeroDivisionError"):
        migrators.migrate(coming.GRAPH, state(3, 3), 1, 2)


def test_what_runs_now_is_as_it_was() -> None:
    assert registry.GRAPHS[TASK].state_schema == 1
    assert registry.GRAPHS[TASK].migrators == {}
    assert "migrators" not in registry.manifest(TASK)
    assert coming.GRAPHS["revert_change"] is registry.GRAPHS["revert_change"]
    assert coming.TOOLS is registry.TOOLS
    assert coming.manifest("revert_change") == registry.manifest("revert_change")


def test_its_combo_is_of_other_code_and_says_what_leads_where() -> None:
    now, then = registry.manifest(TASK), coming.manifest(TASK)
    assert (then["state_schema"], then["code"] != now["code"]) == (2, True)
    said = versions.of_manifest(canonical.dumps(then))
    assert (said.state_schema, set(said.migrators)) == (2, {(1, 2), (2, 1)})
    assert said.state_schemas["1"] == now["state_schemas"]["1"]
    assert set(coming.manifest(TASK, "hasty")["prompts"]) == set(now["prompts"])


def test_the_engine_finds_it_like_any_agents() -> None:
    asked = (
        "from checkpoints.registry import graph_of; print(graph_of('fleet_change').state_schema)"
    )
    command = "import django; django.setup(); " + asked
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "KEDGE_AGENTS": "agents.next",
    }
    said = subprocess.run(
        [sys.executable, "-c", command], env=environment, capture_output=True, text=True, check=True
    )
    assert said.stdout.strip() == "2"
