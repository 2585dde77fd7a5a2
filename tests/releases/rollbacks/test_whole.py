"""A50: all of a combo goes back or nothing of it; nobody can restore only some of its parts."""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import combinations
from typing import Any, Final

import pytest
from django.db import IntegrityError, transaction

from agents import registry as agents
from canonical import digests
from canonical import json as canonical
from checkpoints import versions
from checkpoints.models import Checkpoint, Combo, Route, Run
from checkpoints.registry import combo_of
from releases.models import Release
from releases.rollbacks import carrying, phases
from releases.rollbacks.models import Rollback
from tests.engine import registry
from tests.releases.rollbacks.rolling import Rolling

pytestmark = pytest.mark.django_db

# Everything that the manifest of a real combo names: what it names one day is tried by itself.
WHOLE: Final = agents.manifest("fleet_change")
PARTS: Final = sorted(WHOLE.keys() - {"task_type"})


def some() -> Iterator[tuple[str, ...]]:
    """One or two of the parts, and all but one. Every half restored is like one of these."""
    for size in (1, 2, len(PARTS) - 1):
        yield from combinations(PARTS, size)


def other(value: Any) -> Any:
    """Another value of the same kind."""
    if isinstance(value, dict):
        return {**value, "another": "one"}
    return value + 1 if isinstance(value, int) else f"{value} and another"


def mixed(*parts: str) -> Combo:
    """The stable combo, but for these parts of the candidate."""
    told = {**registry.manifest("steps"), **{part: other(WHOLE[part]) for part in parts}}
    manifest = canonical.dumps(told)
    digest = bytes.fromhex(digests.sha256_hex(manifest))
    return Combo.objects.get_or_create(task_type="steps", digest=digest, manifest=manifest)[0]


def refused(rule: str, change: Callable[[], object]) -> None:
    with pytest.raises(IntegrityError, match=rule), transaction.atomic():
        change()


def test_a50_nobody_restores_only_some_of_a_combo(rolling: Rolling) -> None:
    release = rolling.canary()
    rollback = rolling.carry(rolling.start(release), until=phases.RESTORING)
    route = Route.objects.filter(task_type="steps")
    mine = Rollback.objects.filter(pk=rollback.pk)
    stable = Combo.objects.filter(pk=combo_of("steps").pk)
    for kept in some():
        half = mixed(*kept)
        refused("a_route_follows_its_release", partial(route.update, stable=half))
        refused("a_rollback_stays_what_was_shown", partial(mine.update, to_combo=half))
        itself = Release.objects.filter(pk=release.pk)
        refused("a_release_stays_what_it_is", partial(itself.update, stable=half))
        refused("only ever added", partial(stable.update, manifest=half.manifest))
    assert carrying.carry_on(rollback.pk)
    assert route.get().stable == combo_of("steps")


def test_a50_a_combo_has_every_part_that_is_restored_with_it() -> None:
    named = {"model", "prompts", "rules", "tools", "state_schema", "code", "versions"}
    assert named | {"settings", "lock"} <= {*PARTS}
    whole = {part: other(WHOLE[part]) for part in PARTS}
    assert not [part for part in PARTS if whole[part] == WHOLE[part]]


def test_a50_a_run_has_the_texts_of_one_combo_in_every_phase(rolling: Rolling) -> None:
    release = rolling.canary()
    for what in "abc":
        rolling.asking(what=what)
    whole = {bytes(each.manifest) for each in (combo_of("steps"), rolling.traffic.candidate)}
    rollback = rolling.start(release)
    seen = set()
    while rollback.phase != phases.CLOSED:
        for run in Run.objects.select_related("combo"):
            assert bytes(run.combo.manifest) in whole
            assert versions.of(run.combo).prompts in (
                versions.of(combo_of("steps")).prompts,
                versions.of(rolling.traffic.candidate).prompts,
            )
        seen.add(rollback.phase)
        carrying.carry_on(rollback.pk)
        if phases.is_at_least(rollback.phase, phases.RECONCILING):
            rolling.turns()
        rollback.refresh_from_db()
    assert seen == set(phases.SIX)
    for run in Run.objects.all():
        steps = Checkpoint.objects.filter(run=run).order_by("seq").values_list("combo", flat=True)
        assert len(list(dict.fromkeys(steps))) <= 2


def test_a50_a_run_names_a_combo_and_no_part_of_one(rolling: Rolling) -> None:
    rolling.canary()
    run = rolling.run()
    half = mixed("prompts", "rules")
    with pytest.raises(IntegrityError), transaction.atomic():
        Run.objects.filter(pk=run.pk).update(combo=half)
