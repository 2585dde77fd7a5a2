"""What a rung needs is read from the record: of shadow runs of the candidate, since its release began."""

from dataclasses import replace
from datetime import timedelta
from hashlib import sha256
from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone

from canonical import json as canonical
from checkpoints import rungs
from checkpoints.models import Case, Event, Recovery, Run, ShadowDryRun
from checkpoints.rungs import DRY_RUN, READ, WRITE
from reconciliation.credentials.models import Credential
from reconciliation.models import Action
from releases.ladder import climbing
from releases.ladder.climbing import Wanted
from releases.ladder.evidence import Evidence, Item
from releases.models import Release
from tenants.keys import vaults
from tests.checkpoints.combos import another
from tests.checkpoints.records import by_force
from tests.engine.turns import Bench
from tests.releases.traffic import Traffic, traffic

pytestmark = pytest.mark.django_db

TOOL = "fake.look_up"


@pytest.fixture
def here(engine: Bench) -> Traffic:
    """A candidate that names a tool."""
    return replace(traffic(engine), candidate=another("steps", "the new prompt", TOOL))


def items(release: Release, to: str) -> dict[str, Item]:
    return {item.name: item for item in Evidence(release).of(TOOL, to)}


def shadow(release: Release, status: str = "succeeded", stop: str = "done", **more: Any) -> Run:
    """A shadow run of the candidate that ended so, as the record has it."""
    run = Run(
        tenant=release.tenant,
        task_type="steps",
        combo=release.candidate,
        mode="shadow",
        business_key=uuid4().hex,
        effect_scope=uuid4(),
        input=b"{}",
        input_digest=b"0" * 32,
        status=status,
        stop_reason=stop,
        reason="",
        caller="test",
        channel="test",
        next_node="act",
        finished_at=timezone.now(),
    )
    for name, value in more.items():
        setattr(run, name, value)
    with by_force():
        run.save(force_insert=True)
    return run


def test_to_read_some_must_have_ended_and_none_answered_nonsense(here: Traffic) -> None:
    release = here.begin()
    assert not items(release, READ)["ended"].holds
    runs = [shadow(release) for _ in range(2)]
    shadow(release, mode="live")
    shadow(release, created_at=release.begun_at - timedelta(days=1))
    assert not items(release, READ)["ended"].holds
    runs.append(shadow(release, "failed", "rejected"))
    found = items(release, READ)
    assert found["ended"].holds
    assert found["ended"].runs == tuple(str(run.pk) for run in runs)
    assert found["answers_fit"].holds
    with by_force():
        Case.objects.create(
            tenant=here.tenant, run=runs[0], kind="invalid_output", sentence="x", fingerprint="f"
        )
    assert not items(release, READ)["answers_fit"].holds


def test_the_contract_is_of_the_tool_that_is_installed(here: Traffic) -> None:
    # What is installed for the tests names no tools.
    assert not items(here.begin(), READ)["contract"].holds


def test_to_dry_run_the_credential_was_found_good_lately(here: Traffic) -> None:
    release = here.begin()
    assert "Nobody noted" in items(release, DRY_RUN)["credential"].says
    noted = Credential.objects.create(
        tenant=here.tenant,
        tool=TOOL,
        acting_identity="bot",
        owner=here.ada,
        kept_at="env:TOKEN",
        version="1",
    )
    assert not items(release, DRY_RUN)["credential"].holds
    for result, age, holds in (("valid", 0, True), ("valid", 2, False), ("invalid", 0, False)):
        at = timezone.now() - timedelta(days=age)
        Credential.objects.filter(pk=noted.pk).update(result=result, checked_at=at)
        assert items(release, DRY_RUN)["credential"].holds is holds


def test_to_dry_run_nothing_sensitive_stands_in_the_log(here: Traffic) -> None:
    release, secret = here.begin(), "hunter2-hunter2"
    with vaults.bound(here.tenant.pk) as vault:
        given = canonical.dumps({"token": vault.encrypted_whole(secret)})
    run = shadow(release, input=given)
    Event.objects.create(run=run, what="said", actor="test", detail={"text": "it is fine"})
    assert items(release, DRY_RUN)["redaction"].holds
    Event.objects.create(run=run, what="said", actor="test", detail={"text": f"it is {secret}"})
    found = items(release, DRY_RUN)["redaction"]
    assert (found.holds, found.runs) == (False, (str(run.pk),))


def test_to_dry_run_what_was_recorded_is_whole(here: Traffic) -> None:
    release = here.begin()
    assert not items(release, DRY_RUN)["trace"].holds
    shadow(release)
    assert items(release, DRY_RUN)["trace"].holds
    broken = shadow(release, head=3)
    found = items(release, DRY_RUN)["trace"]
    assert (found.holds, found.runs) == (False, (str(broken.pk),))


def test_to_write_one_success_one_refusal_and_one_recovery(here: Traffic) -> None:
    release = here.begin()
    assert [item.holds for item in items(release, WRITE).values()] == [False, False, False]
    good, bad = shadow(release), shadow(release, "failed", "rejected")
    assert not items(release, WRITE)["success"].holds
    with by_force():
        dry_run(good)
        Recovery.objects.create(
            run=bad, why="killed", interrupted_fence=1, ended="recovered", ended_at=timezone.now()
        )
    found = items(release, WRITE)
    assert {name: item.runs for name, item in found.items()} == {
        "success": (str(good.pk),),
        "refusal": (str(bad.pk),),
        "recovery": (str(bad.pk),),
    }
    assert all(item.holds for item in found.values())


def test_a_step_keeps_its_evidence_with_the_runs_that_show_it(here: Traffic) -> None:
    release = here.begin()
    here.climb(to=DRY_RUN)
    good, bad = shadow(release), shadow(release, "failed", "rejected")
    with by_force():
        dry_run(good)
        Recovery.objects.create(
            run=bad, why="killed", interrupted_fence=1, ended="recovered", ended_at=timezone.now()
        )
    [rung] = climbing.ladder(release)
    made = climbing.step(release.pk, Wanted(TOOL, WRITE, "so", rung.digest), user=here.ada)
    assert str(good.pk).encode() in bytes(made.evidence)
    assert rungs.of(here.tenant.pk, release.candidate_id, TOOL) == WRITE


def dry_run(run: Run) -> None:
    values: dict[str, Any] = {
        "tenant": run.tenant,
        "run": run,
        "mode": "shadow",
        "node": "act",
        "ordinal": 1,
        "key": uuid4().bytes * 2,
        "tool": TOOL,
        "tool_schema_digest": "0" * 64,
        "acting_credential": "bot",
        "describe": "write",
        "target": "x",
        "parameters": b"{}",
        "parameters_digest": sha256(b"{}").digest(),
        "proposed_seq": 1,
    }
    action = Action.objects.create(**values)
    ShadowDryRun.objects.create(
        action_id=action.pk,
        run=run,
        tenant=run.tenant,
        diff=b"",
        media="text/plain",
        diff_digest="0" * 64,
        before=True,
    )
