"""What goes on after an answer, a death or a restart finds what was committed, and nothing else."""

import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.db import connection, transaction

from approvals import decisions
from approvals.decisions import Given
from approvals.errors import HashMismatchError
from approvals.models import Approval, ApprovalRequest
from checkpoints.graph import END, Context, Proposal, Result, State, To
from reconciliation.models import Action
from tenants import access
from tenants.actors import Actor
from tenants.models import Tenant
from tests.approvals import questions
from tests.engine import registry
from tests.engine.faketools import effects
from tests.engine.turns import Bench
from tests.execution.graphs import acting
from tests.people import ada, cy, dee, make_tenant

ROOT = Path(__file__).resolve().parent.parent.parent
NAME = "fake.void"

# A process that has seen nothing of what went on before.
LOOK = """
import django, json
django.setup()
from approvals.models import ApprovalRequest
from approvals import judging
rows = ApprovalRequest.objects.order_by("id")
print(json.dumps([[str(r.pk), r.state, r.action_hash, r.expires_at.isoformat(),
                   judging.bound_of(r).nonce] for r in rows]))
"""


def in_a_fresh_process() -> Any:
    """What the record says of every question, read by a process of its own."""
    own = connection.settings_dict
    address = (
        f"postgresql://{own['USER']}:{own['PASSWORD']}@/{own['NAME']}"
        f"?host={own['HOST']}&port={own['PORT'] or 5432}"
    )
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "KEDGE_ROLE": "owner",
        "DATABASE_URL": address,
    }
    done = subprocess.run(
        [sys.executable, "-c", LOOK],
        cwd=ROOT,
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    )
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.django_db(transaction=True)
def test_a_restart_loses_no_question_and_gives_none_more_time() -> None:
    """A16: all that waits stands in the database, as it was asked; no process holds any of it."""
    tenant = make_tenant()
    _open, answered, refused = (questions.asked() for _ in range(3))
    questions.decide(answered, dee(tenant))
    questions.decide(refused, dee(tenant), "reject")
    here = [
        [str(row.pk), row.state, row.action_hash, row.expires_at.isoformat(), row.nonce]
        for row in ApprovalRequest.objects.order_by("id")
    ]
    connection.close()
    assert in_a_fresh_process() == here
    assert {row[1] for row in here} == {"open", "approved", "rejected"}


def after_a_note(other: str = "") -> dict[str, Any]:
    """A graph that proposes again when it is sent back: the same, or to another tool."""

    def propose(state: State, context: Context) -> Proposal:
        return Proposal(other if other and state.get("notes") else NAME, {"what": "a-0"})

    def absorb(state: State, result: Result, context: Context) -> To:
        notes = [*state.get("notes", []), [result.kind, result.note]]
        return To("first" if result.kind == "sent_back" else END, {**state, "notes": notes})

    return {"propose": propose, "absorb": absorb}


@pytest.mark.django_db
def test_what_is_proposed_again_after_a_note_is_a_new_question(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A42: the run hears the note; the original again is asked anew, and no old answer fits it."""
    acting(monkeypatch, **after_a_note())
    run = engine.start("odd")
    engine.turn()
    engine.decide(run, "send_back", "Leave the header alone.")
    engine.turn()
    first, again = ApprovalRequest.objects.filter(run=run).order_by("id")
    assert (first.state, again.state) == ("sent_back", "open")
    assert first.action_id != again.action_id
    assert first.action_hash != again.action_hash
    keys = set(Action.objects.values_list("key", flat=True))
    assert len(keys) == 2
    with pytest.raises(HashMismatchError):
        decisions.decide(
            again.pk,
            Given("approve", "", first.action_hash),
            actor=Actor.person(engine.approver),
            user=engine.approver,
        )
    assert not Approval.objects.exists()
    assert effects() == []
    engine.decide(run)
    engine.turn()
    assert len(effects()) == 1


@pytest.mark.django_db
def test_another_tool_than_the_one_sent_back_is_asked_under_its_own_rule(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A10: nobody edits a proposal; another one brings its own dry run, hash and rule."""
    rules = [
        {**rule, "approvers": 2} if rule["tool"] == "fake.keyed" else rule
        for rule in registry.RULES["rules"]  # type: ignore[attr-defined]
    ]
    monkeypatch.setattr(registry, "RULES", {"rules_schema": 1, "rules": rules})
    second = questions.eve(engine.tenant)
    acting(monkeypatch, **after_a_note(other="fake.keyed"))
    run = engine.start("odd")
    engine.turn()
    engine.decide(run, "send_back", "Use the other way.")
    engine.turn()
    asked = ApprovalRequest.objects.get(run=run, state="open")
    assert (asked.tool, asked.requirement["approvers"]) == ("fake.keyed", 2)
    engine.decide(run)
    asked.refresh_from_db()
    assert (asked.state, effects()) == ("open", [])
    questions.decide(asked, second)
    engine.turn()
    assert len(effects()) == 1


@pytest.mark.django_db
def test_answers_find_their_question_by_its_hash_and_never_by_its_place(engine: Bench) -> None:
    """A43: five wait, two of them alike; answered in any order, each gets its own answer."""
    told = ["approve", "reject", "approve", "reject", "approve"]
    runs = [engine.start(tool=NAME, what=what) for what in ("same", "same", "b", "c", "d")]
    for _ in runs:
        engine.turn()
    asked = [ApprovalRequest.objects.get(run=run) for run in runs]
    assert len({each.action_hash for each in asked}) == 5
    pairs = list(zip(runs, asked, told, strict=True))
    random.Random(43).shuffle(pairs)
    for (_run, mine, _verdict), (_other, foreign, _) in zip(
        pairs, [*pairs[1:], pairs[0]], strict=True
    ):
        with pytest.raises(HashMismatchError), transaction.atomic():
            decisions.decide(
                mine.pk,
                Given("approve", "", foreign.action_hash),
                actor=Actor.person(engine.approver),
                user=engine.approver,
            )
    for run, _mine, verdict in pairs:
        engine.decide(run, verdict)
    for _ in runs:
        engine.turn()
    assert sorted(effect["what"] for effect in effects()) == ["b-0", "d-0", "same-0"]
    done = {effect["action"] for effect in effects()}
    assert done == {str(mine.action_id) for _, mine, verdict in pairs if verdict == "approve"}


@pytest.mark.django_db
def test_a_tenant_made_anew_under_an_old_number_inherits_no_right() -> None:
    """A57: rights go with what they are for, whoever takes its number afterwards."""
    old = Tenant.objects.create(slug="old", name="Old")
    person = ada(old)
    assert access.of(person).may(old.pk, "approve_actions")
    number = old.pk
    old.delete()
    new = Tenant.objects.create(pk=number, slug="new", name="New")
    assert access.of(person).rights.get(number, frozenset()) == frozenset()
    assert access.of(cy()).rights == {}
    assert list(access.holders(new, "approve_actions")) == []
