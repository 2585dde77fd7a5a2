"""One flip for each field an approval is bound to: in the world, at the tool, or in what is stored."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final
from uuid import uuid4

import pytest
from django.db.models import F

from approvals import clock
from approvals.models import ApprovalRequest
from canonical import digests
from canonical import json as canonical
from checkpoints.models import Combo, Run
from reconciliation.models import Action
from reconciliation.tools import Call, DryRun
from tests.checkpoints.records import by_force
from tests.engine import registry
from tests.engine.faketools import Fake
from tests.engine.turns import Bench
from tests.execution.runs import due, waiting
from tests.people import make_tenant

NAME: Final = "fake.void"
OTHER_RULE: Final = {"tool": "fake.other", **registry.RULE}


class Seeing(Fake):
    """A fake whose dry run shows what the test tells it to; what it sends is as of the others."""

    def __init__(self) -> None:
        super().__init__(NAME, registry.TOOLS.by_name[NAME].capabilities)
        self.diff: dict[str, Any] = {"what": "a-0"}
        self.seen = {"world": "1", "gone": ""}

    def dry_run(self, call: Call) -> DryRun:
        return DryRun(canonical.dumps(self.diff), "application/json", dict(self.seen))


@dataclass
class Approved:
    """A run whose only action is approved and not sent, and the tool it would be sent with."""

    bench: Bench
    run: Run
    tool: Seeing
    patch: pytest.MonkeyPatch

    @property
    def action(self) -> Action:
        return Action.objects.get(run=self.run, absorbed_seq=None)


def approved(bench: Bench, patch: pytest.MonkeyPatch) -> Approved:
    tool = Seeing()
    patch.setitem(registry.TOOLS.by_name, NAME, tool)
    run = waiting(bench, NAME)
    bench.decide(run)
    return Approved(bench, run, tool, patch)


def _request(**columns: Any) -> Callable[[Approved], None]:
    """Other values beside the bytes that were hashed."""

    def flip(it: Approved) -> None:
        with by_force():
            ApprovalRequest.objects.update(**columns)

    return flip


def _tool(**attributes: Any) -> Callable[[Approved], None]:
    def flip(it: Approved) -> None:
        for name, value in attributes.items():
            setattr(it.tool, name, value)

    return flip


def _seen(**versions: str | None) -> Callable[[Approved], None]:
    """Other versions of what the dry run looks at; None: it is not looked at any more."""

    def flip(it: Approved) -> None:
        seen: dict[str, str | None] = {**it.tool.seen, **versions}
        it.tool.seen = {name: at for name, at in seen.items() if at is not None}

    return flip


def _tenant(it: Approved) -> None:
    _request(tenant=make_tenant("other"))(it)


def _run(it: Approved) -> None:
    """The approved action turns up in another run of the same tenant, as its open action."""
    Run.objects.filter(pk=it.run.pk).update(due_at=clock.now() + timedelta(hours=1))
    other = waiting(it.bench, NAME)
    with by_force():
        Action.objects.filter(run=other).delete()
        Action.objects.filter(run=it.run).update(run=other)
    due(other)


def _action(it: Approved) -> None:
    """Action and request carry another id than the one that was approved."""
    new = uuid4()
    with by_force():
        Action.objects.update(id=new)
        ApprovalRequest.objects.update(action_id=new)


def _parameters(it: Approved) -> None:
    """Bytes the dry run does not even look at."""
    content = b'{"more":1,"what":"a-0"}'
    digest = bytes.fromhex(digests.sha256_hex(content))
    with by_force():
        Action.objects.update(parameters=content, parameters_digest=digest)


def _other_rules(it: Approved) -> None:
    _rules(it, [OTHER_RULE])


def _rules(it: Approved, more: list[dict[str, Any]]) -> None:
    manifest = canonical.loads_object(it.run.combo.manifest)
    manifest["rules"]["rules"] += more
    with by_force(("checkpoints_combo", "combo_digest_is_of_its_manifest")):
        Combo.objects.filter(pk=it.run.combo_id).update(manifest=canonical.dumps(manifest))


# (field of `Bound`, what the refusal calls it, how it is flipped).
FLIPS: Final[list[tuple[str, str, Callable[[Approved], None]]]] = [
    ("tenant", "tenant", _tenant),
    ("run_id", "run_id", _run),
    ("action_id", "action_id", _action),
    ("tool", "tool", _request(tool="fake.keyed")),
    ("tool_schema_digest", "tool_schema_digest", _tool(version="2")),
    ("acting_credential", "acting_credential", _tool(acting_credential="somebody else")),
    ("parameters_digest", "parameters_digest", _parameters),
    ("parameters_digest", "parameters_digest", _request(parameters=b'{"what":"b"}')),
    ("rules_version", "rules_version", _other_rules),
    ("resources", "resources.world", _seen(world="2")),
    ("resources", "resources.world", _seen(world="")),
    ("resources", "resources.world", _seen(world=None)),
    ("resources", "resources.gone", _seen(gone="1")),
    ("resources", "resources.gone", _seen(gone=None)),
    ("resources", "resources.more", _seen(more="1")),
    ("resources", "resources.more", _seen(more="")),
    ("diff_digest", "diff_digest", _tool(diff={"what": "b"})),
    ("diff_digest", "diff_digest", _request(diff=b'{"what":"b"}')),
    ("volatile", "volatile", _tool(volatile=("date",))),
    ("volatile_version", "volatile_version", _tool(volatile_version="2")),
    ("nonce", "nonce", _request(nonce="0" * 32)),
    ("expires_at", "expires_at", _request(expires_at=F("expires_at") + timedelta(days=1))),
]
