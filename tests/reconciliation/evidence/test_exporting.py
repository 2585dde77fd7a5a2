"""Evidence of an effect and of a run: what is in it, who asked for it, and what is left out."""

import json
from datetime import timedelta
from typing import Any

import pytest
from pytest_django import Settings

from approvals.models import ApprovalRequest, SeenRemarks
from approvals.showing import shown
from canonical import digests
from checkpoints import revoking, runs
from checkpoints.models import Event, Recovery, Run
from execution.pages import log
from reconciliation.errors import EvidenceNotReady
from reconciliation.evidence import acts, exporting
from reconciliation.evidence.bytestore import Bytes
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
from tests.approvals.looking.lookers import SEEN_FIRST, asked, look_at, remark
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


def test_what_a_model_noticed_stands_beside_the_decisions_and_its_words_are_payloads(
    engine: Bench,
) -> None:
    request = asked(SEEN_FIRST, tenant=engine.tenant)
    look = look_at(request, remark("facts", "Push"))
    SeenRemarks.objects.create(look=look, user=engine.approver)
    kept = Bytes(whole=True)
    told = acts.of_request(request, kept)["second_look"]
    assert (told["hash"], told["outcome"], told["count"]) == (request.action_hash, "look_here", 1)
    assert told["seen"][0]["person"]["name"] == str(engine.approver)
    assert "Push" not in json.dumps(told)
    assert kept.contents[told["remarks"]] is not None
    left_out = Bytes(whole=False)
    assert acts.of_request(request, left_out)["second_look"] == told
    assert left_out.contents[told["remarks"]] is None


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


def test_a_run_tells_its_recoveries_and_its_three_numbers(engine: Bench) -> None:
    run = engine.start(tool="fake.void", what="a")
    engine.turn()
    engine.decide(run)
    lease = engine.acquire()
    assert runs.lapse(run.pk, fence=lease.fence, why="killed", actor=WORKER)
    engine.turn()
    document = exported(About.run(run), engine)
    (told,) = document["recoveries"]
    assert (told["why"], told["fence"], told["ended"]) == ("killed", lease.fence, "recovered")
    stored = Recovery.objects.get()
    assert stored.new_boundary_at is not None
    took = stored.new_boundary_at - stored.noticed_at
    numbers = document["numbers"]
    assert numbers["recoveries"] == {"begun": 1, "recovered": 1, "by_person": 0, "under_way": 0}
    assert numbers["duration"]["p95"] == round(took.total_seconds() * 1000)
    assert numbers["duplicates"] == {"happened": 1, "checked": 0, "stopped": 0, "arrived": 0}
    assert (document["run"]["stop_reason"], faults(About.run(run), engine)) == ("done", [])


def test_a_run_that_a_person_revoked_from_its_worker_proves_it(engine: Bench) -> None:
    run = engine.start(steps=2)
    lease = engine.acquire()
    revoking.revoke(run.pk, reason="it hangs", actor=Actor.person(engine.starter))
    engine.turn()
    document = exported(About.run(run), engine)
    (told,) = document["recoveries"]
    assert (told["why"], told["fence"]) == ("Ada revoked it", lease.fence)
    assert faults(About.run(run), engine) == []


def test_an_effect_that_was_found_and_not_sent_again_counts_as_checked(engine: Bench) -> None:
    run = engine.start(tool="fake.void", what="a")
    engine.turn()
    engine.decide(run)
    fault = engine.fault("drop_answer")
    engine.turn()
    fault.unlink()
    document = exported(About.run(run), engine)
    expected = {"happened": 1, "checked": 1, "stopped": 1, "arrived": 0}
    assert document["numbers"]["duplicates"] == expected
    about = About.action(action_of(run))
    assert (exported(about, engine)["numbers"], faults(about, engine)) == (None, [])


def test_what_people_and_machines_did_to_the_run_is_in_it(engine: Bench) -> None:
    """The operator log: the events, and the audit rows of run, effect, question and case."""
    run = settled_run(engine)
    runs_rows = log.audit(run).lines
    document = exported(About.run(run), engine)
    links = [link for each in document["trail"] for link in each["links"] if "row" in link]
    told = {f"{link['row']['verb']} {link['row']['subject']}" for link in links}
    assert {line.what for line in runs_rows} <= told
    assert len(document["events"]) == Event.objects.filter(run_id=run.pk).count()


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
    approval = Attempt.objects.select_related("approval__request").get().approval
    assert approval is not None
    tamper(approval.request, diff=b"something harmless")
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
