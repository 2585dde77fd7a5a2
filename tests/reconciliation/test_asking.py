"""From a proposed effect to the question people are asked."""

from typing import Any

import pytest

from approvals.hashing import diff_digest
from canonical import digests
from canonical import json as canonical
from checkpoints.models import Combo
from reconciliation import asking
from reconciliation.errors import ForbiddenEffectError
from reconciliation.models import Action
from tests.engine.faketools import ALL, Fake, effects
from tests.engine.turns import Bench
from tests.execution.runs import waiting


@pytest.fixture
def action(engine: Bench) -> Action:
    waiting(engine)
    return Action.objects.select_related("run__combo", "tenant").get()


def test_a_question_is_bound_to_what_the_dry_run_saw(action: Action) -> None:
    asked = asking.question(action)
    bound = asked.bound
    assert (bound.tenant, bound.run_id, bound.action_id) == (
        action.tenant_id,
        str(action.run_id),
        str(action.id),
    )
    assert bound.parameters_digest == digests.sha256_hex(asked.parameters)
    assert bound.resources == {"world": "1"}
    assert bound.diff_digest == diff_digest(b"+a-0\n", "text/plain", ())
    assert bound.tool_schema_digest == asking.schema_digest(ALL[0])
    assert asked.requirement.approvers == 1
    assert effects() == []


def test_asked_twice_of_one_world_it_is_the_same_question(action: Action) -> None:
    assert asking.question(action) == asking.question(action)


def test_a_world_that_moved_makes_another_question(action: Action, engine: Bench) -> None:
    before = asking.question(action)
    (engine.world / "version").write_text("2")
    assert asking.question(action).bound != before.bound


@pytest.mark.parametrize(
    "rules", [None, {"rules_schema": 1, "rules": []}, "unreadable", {"rules_schema": 99}]
)
def test_rules_that_deny_or_cannot_be_read_forbid_the_effect(action: Action, rules: Any) -> None:
    manifest = canonical.dumps({"task_type": "steps", "rules": rules})
    digest = bytes.fromhex(digests.sha256_hex(manifest))
    action.run.combo = Combo(task_type="steps", manifest=manifest, digest=digest)
    with pytest.raises(ForbiddenEffectError):
        asking.question(action)


def test_another_version_or_schema_is_another_tool() -> None:
    tool = Fake("fake.void", ALL[0].capabilities)
    known = asking.schema_digest(tool)
    tool.version = "2"
    assert asking.schema_digest(tool) != known
    tool.version = "1"
    tool.receipt_schema = {"type": "string"}
    assert asking.schema_digest(tool) != known
