"""The regression groups, replayed on a fresh database; what they left there and in the world is counted."""

import io
import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.core.management import call_command
from django.db import connections

from checkpoints.models import Run
from execution.fixtures.documents import GROUPS
from reconciliation.evidence.exporting import export
from reconciliation.evidence.snapshots import About
from reconciliation.evidence.verifying import verify
from tenants.actors import Actor
from tenants.signing import Believed
from tenants.trail import heads
from tests.acceptance import counting, surroundings
from tests.acceptance.ground import TENANT

Json = Any


@dataclass
class Evaluated:
    """What came of the groups: fixtures by group, and sentences about all that must not be."""

    groups: dict[str, dict[str, int]]
    combos_moved: list[str] = field(default_factory=list)
    duplicates: int = 0
    unapproved: list[str] = field(default_factory=list)
    unexplained: list[str] = field(default_factory=list)
    bad_evidence: list[str] = field(default_factory=list)


def evaluate(options: Sequence[str] = ()) -> Evaluated:
    """Replay every kept fixture on the database that Django is connected to, which must be fresh."""
    fixtures = _replayed(options)
    arrived: Counter[str] = Counter()
    for each in surroundings.SEEN:
        arrived.update(each)
    found = Evaluated(
        groups=_by_group(fixtures),
        combos_moved=[str(it["name"]) for it in fixtures if it["combo_moved"]],
        duplicates=counting.duplicates(arrived),
        unapproved=[*counting.unapproved(), *counting.unapproved_arrivals(arrived)],
        unexplained=[*counting.unexplained(), *counting.contradicted(arrived)],
        bad_evidence=[trouble for run in Run.objects.order_by("id") for trouble in _evidence(run)],
    )
    connections.close_all()
    return found


def _replayed(options: Sequence[str]) -> list[dict[str, Json]]:
    out = io.StringIO()
    try:
        command = ("fixtures", "replay", "--json", "--tenant", TENANT, *options)
        call_command(*command, stdout=out, stderr=sys.stderr)
    except SystemExit:  # a difference; the answer says which
        pass
    fixtures: list[dict[str, Json]] = json.loads(out.getvalue())["fixtures"]
    return fixtures


def _by_group(fixtures: Sequence[Mapping[str, Json]]) -> dict[str, dict[str, int]]:
    found = {group: {"passed": 0, "failed": 0} for group in GROUPS}
    for each in fixtures:
        found[each["group"]]["passed" if each["passed"] else "failed"] += 1
    return found


def _evidence(run: Run) -> list[str]:
    """Export the evidence of a run, and verify the file as somebody without the database would."""
    content = export(About.run(run), actor=Actor.machine("acceptance"), whole=True)
    faults = verify(content, Believed.of([heads.signing_key().public])).faults
    return [f"evidence of {run.pk} {fault.member}: {fault.sentence}" for fault in faults]
