"""Evidence of an effect and of a run: what is in it, who asked for it, and what is left out."""

import json
from datetime import timedelta
from typing import Any

import pytest
from pytest_django import Settings

from approvals.models import ApprovalRequest
from approvals.showing import shown
from canonical import digests
from checkpoints.models import Run
from reconciliation.errors import EvidenceNotReady
from reconciliation.evidence import exporting
from reconciliation.evidence.exporting import export
from reconciliation.evidence.snapshots import About
from reconciliation.evidence.verifying import verify
from reconciliation.models import Action, Attempt, Receipt
from tenants import chain
from tenants.actors import Actor
from tenants.audit import record
from tenants.keys import hiding
from tenants.models import AuditRow
from tenants.trail import heads
from tests.approvals.questions import tamper
from tests.engine.turns import Bench
from tests.people import make_tenant
from tests.reconciliation.evidence.samples import settled_run
from tests.tenants.test_chain import triggers_off

pytestmark = pytest.mark.django_db(transaction=True)

WORKER = Actor.machine("worker")


def exported(about: About, engine: Bench, *, whole: bool = True) -> Any:
    return json.loads(export(about, actor=Actor.person(engine.approver), whole=whole))


def faults(about: About, engine: Bench) -> list[str]:
    content = export(about, actor=Actor.person(engine.approver), whole=True)
    return [fault.member for fault in verify(content, heads.believed()).faults]


def action_of(run: Run) -> Action:
    return Action.objects.select_related("tenant", "run").get(run=run)


def test_an_effect_is_told_from_proposal_to_absorption(engine: Bench) -> None:
    action = action_of(settled_run(engine))
    document = exported(About.action(action), engine)
    assert [each["seq"] for each in document["checkpoints"]] == [
        action.proposed_seq,
        action.absorbed_seq,
    ]
    (told,) = document["actions"]
    assert told["attempts"][0]["receipts"][0]["wire"] == told["parameters"]
    assert told["requests"][0]["decisions"][0]["person"]["name"] == str(engine.approver)
    assert faults(About.action(action), engine) == []


def test_a_run_is_told_whole_also_before_and_while_it_waits(engine: Bench) -> None:
    run = engine.start(tool="fake.void", what="a")
    assert faults(About.run(run), engine) == []
    engine.turn()
    assert faults(About.run(run), engine) == []
    engine.decide(run, "send_back", "again")
    engine.turn()
    assert faults(About.run(run), engine) == []
    engine.decide(run)
    engine.turn()
    assert faults(About.run(run), engine) == []
    document = exported(About.run(run), engine)
    verdicts = [
        decision["verdict"]
        for action in document["actions"]
        for asked in action["requests"]
        for decision in asked["decisions"]
    ]
    assert verdicts == ["send_back", "approve"]


def test_who_may_not_read_payloads_gets_digests_only(engine: Bench) -> None:
    run = settled_run(engine)
    document = exported(About.run(run), engine, whole=False)
    known = {digest for digest, content in document["contents"].items() if content is not None}
    assert known == {document["run"]["combo"]}
    assert verify(json.dumps(document).encode(), heads.believed()).holds


def test_the_export_is_audited_and_in_the_file_itself(engine: Bench) -> None:
    run = settled_run(engine)
    document = exported(About.run(run), engine, whole=False)
    row = AuditRow.objects.get(verb="export_evidence")
    assert (row.actor_id, row.detail) == (str(engine.approver.pk), {"payloads": False})
    assert document["made"]["audit_id"] == row.pk
    shown = [link["row"]["audit_id"] for each in document["trail"] for link in each["links"]]
    assert row.pk in shown


def test_rows_about_other_things_are_shown_by_digest_only(engine: Bench) -> None:
    run = settled_run(engine)
    record(
        run.tenant,
        WORKER,
        "approve",
        hiding.text("request:of-somebody-else"),
        reason=hiding.text("private"),
    )
    content = export(About.run(run), actor=Actor.person(engine.approver), whole=True)
    assert b"private" not in content
    assert verify(content, heads.believed()).holds


def test_an_old_row_is_linked_to_the_head_that_followed_it(engine: Bench) -> None:
    """Not to the newest: a year of other rows would lie in between."""
    run = settled_run(engine)
    chain.seal()
    heads.sign_due(after=timedelta())
    for n in range(50):
        record(run.tenant, WORKER, "approve", hiding.text(f"request:{n}"))
    first, second = exported(About.run(run), engine)["trail"]
    assert first["head"]["position"] < second["after"]["position"] + 1
    assert len(first["links"]) < 10
    assert len(second["links"]) == 1


def test_a_run_of_another_tenant_is_not_found(engine: Bench) -> None:
    run = settled_run(engine)
    with pytest.raises(Run.DoesNotExist):
        exported(About("run", run.pk, make_tenant("other")), engine)


def test_evidence_waits_for_the_sealer_and_then_says_so(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = settled_run(engine)
    monkeypatch.setattr(exporting, "PATIENCE_SECONDS", 0.0)
    with pytest.raises(EvidenceNotReady):
        exported(About.run(run), engine)


def test_a_receipt_exchanged_in_the_database_is_found(engine: Bench) -> None:
    run = settled_run(engine)
    with triggers_off():
        Receipt.objects.update(
            content=b"{}",
            digest=bytes.fromhex(
                "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
            ),
        )
    assert "/checkpoints/6/header" in faults(About.run(run), engine)


def test_a_diff_exchanged_in_the_database_is_found(engine: Bench) -> None:
    action = action_of(settled_run(engine))
    request = Attempt.objects.select_related("approval__request").get().approval.request
    tamper(request, diff=b"something harmless")
    assert "/actions/0/requests/0/diff" in faults(About.action(action), engine)


def test_an_effect_whose_audit_row_is_gone_is_found(engine: Bench, settings: Settings) -> None:
    action = action_of(settled_run(engine))
    with triggers_off():
        AuditRow.objects.filter(verb="intends").update(subject="action of nobody")
    assert "/actions/0/attempts/0" in faults(About.action(action), engine)


def test_the_parts_that_were_opened_are_in_it_and_are_checked(engine: Bench) -> None:
    run = engine.start(tool="fake.void", what="a")
    engine.turn()
    action = action_of(run)
    request = ApprovalRequest.objects.get(action_id=action.pk)
    diff = bytes(request.diff)
    part = shown.Part("text/1", 0, len(diff), digests.sha256_hex(diff))
    shown.record(request.pk, engine.approver, [part])
    about = About.action(action)
    (told,) = exported(about, engine)["actions"][0]["requests"][0]["opened"]
    assert (told["person"]["name"], told["part"]) == (str(engine.approver), "text/1")
    assert faults(about, engine) == []
    other = shown.Part("text/2", 0, len(diff), digests.sha256_hex(b"something else"))
    shown.record(request.pk, engine.approver, [other])
    assert faults(about, engine) == ["/actions/0/requests/0/opened/1"]
