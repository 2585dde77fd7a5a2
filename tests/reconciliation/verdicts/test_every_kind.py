"""Every kind of case, opened by its cause: its page, its verdicts, and where each of them leads."""

from dataclasses import dataclass
from typing import Any

import pytest

from checkpoints import states
from checkpoints.models import Case, Run
from reconciliation import verdicts
from reconciliation.models import Action, Attempt
from reconciliation.verdicts import Given
from tests.engine.faketools import world
from tests.engine.turns import Bench
from tests.reconciliation.causes import CAUSES
from tests.reconciliation.deskwork import past_window, signed_in

pytestmark = pytest.mark.django_db(transaction=True)


@dataclass(frozen=True)
class End:
    """Where a verdict leads: the run after its next turn, and what the ledger says then."""

    status: str
    reason: str = ""
    outcome: str | None = None


DONE, ASKS = End("succeeded"), End("waiting", "for_approval")
CANCELLED = End("cancelled")
HAPPENED, OFF = End("succeeded", outcome="happened"), End("succeeded", outcome="written_off")
DID_NOT = End("succeeded", outcome="did_not_happen")

ENDS: dict[tuple[str, str], End] = {
    ("outcome_unknown", "it_happened"): HAPPENED,
    ("outcome_unknown", "send_again"): End("waiting", "for_approval", "unknown"),
    ("outcome_unknown", "it_did_not"): DID_NOT,
    ("outcome_unknown", "compensate"): HAPPENED,
    ("outcome_unknown", "write_off"): OFF,
    ("outcome_unknown", "write_off_and_stop"): End("cancelled", outcome="written_off"),
    ("unmigratable", "try_again"): DONE,
    ("unmigratable", "cancel"): CANCELLED,
    ("damaged_checkpoint", "go_on_from"): ASKS,
    ("damaged_checkpoint", "try_again"): End("held", "damaged_checkpoint"),
    ("damaged_checkpoint", "cancel"): CANCELLED,
    ("missing_blob", "go_on_from"): ASKS,
    ("missing_blob", "try_again"): End("held", "missing_blob"),
    ("missing_blob", "cancel"): CANCELLED,
    ("world_changed", "try_again"): ASKS,
    ("world_changed", "go_on_from"): ASKS,
    ("world_changed", "cancel"): CANCELLED,
    ("credential_invalid", "try_again"): ASKS,
    ("credential_invalid", "cancel"): CANCELLED,
    ("crash_loop", "try_again"): ASKS,
    ("crash_loop", "go_on_from"): ASKS,
    ("crash_loop", "cancel"): CANCELLED,
    ("invalid_output", "try_again"): End("held", "invalid_output"),
    ("invalid_output", "go_on_from"): End("held", "invalid_output"),
    ("invalid_output", "cancel"): CANCELLED,
    ("duplicate_effect", "it_stands"): HAPPENED,
    ("duplicate_effect", "only_one"): HAPPENED,
    ("duplicate_effect", "compensate"): HAPPENED,
    ("duplicate_effect", "cancel"): End("cancelled", outcome="happened"),
    ("contradicted", "it_happened"): HAPPENED,
    ("contradicted", "go_on_from"): HAPPENED,
    ("contradicted", "compensate"): HAPPENED,
    ("contradicted", "it_stands"): OFF,
    ("contradicted", "cancel"): End("cancelled", outcome="written_off"),
    ("record_behind", "it_happened"): HAPPENED,
    ("record_behind", "it_did_not"): DID_NOT,
    ("record_behind", "write_off"): OFF,
    ("record_behind", "write_off_and_stop"): End("cancelled", outcome="written_off"),
}


def what_is_there() -> list[tuple[str, bytes]]:
    """The outside world, every file of it but switches of faults."""
    found = sorted(path for path in world().iterdir() if not path.name.startswith("fault-"))
    return [(path.name, path.read_bytes()) for path in found]


def given_for(case: Case, verdict: str) -> Given:
    seq = 2 if verdict == "go_on_from" else None
    if case.kind in ("crash_loop", "invalid_output", "world_changed") and seq:
        seq = 0 if case.kind == "crash_loop" else 2
    return Given(verdict, "Because.", "Seen there at noon.", seq)


@pytest.fixture(params=sorted(CAUSES))
def case(request: Any, engine: Bench, monkeypatch: pytest.MonkeyPatch) -> Case:
    return CAUSES[request.param](engine, monkeypatch)


def test_every_kind_has_a_cause() -> None:
    assert set(CAUSES) == set(states.CASE_KINDS)
    assert {kind for kind, _ in ENDS} == set(states.CASE_KINDS)


def test_its_page_says_what_is_wrong_what_is_known_and_what_can_be_decided(
    engine: Bench, case: Case
) -> None:
    page = signed_in(engine.starter).get(f"/t/{engine.tenant.slug}/cases/{case.pk}/")
    html = page.content.decode()
    assert page.status_code == 200
    run = Run.objects.get(pk=case.run_id)
    assert (run.status, run.reason) == ("held", case.kind)
    assert case.sentence.split("“")[0][:40].replace("'", "&#x27;") in html
    assert "What is known" in html
    offered = verdicts.choices(case)
    assert [name for kind, name in ENDS if kind == case.kind] or not offered
    for choice in offered:
        assert f'value="{choice.verdict}"' in html or str(choice.label) in html
    if case.action_id is not None:
        assert "https://world.example/a-0" in html
        assert f"look for {case.action_id}" in html


def test_every_verdict_it_offers_has_a_stated_end(case: Case) -> None:
    offered = {(case.kind, choice.verdict) for choice in verdicts.choices(case)}
    assert offered == {key for key in ENDS if key[0] == case.kind}


@pytest.mark.parametrize(("kind", "verdict"), sorted(ENDS))
def test_rule_6_a_verdict_leads_to_its_end_and_sends_nothing(
    engine: Bench, monkeypatch: pytest.MonkeyPatch, kind: str, verdict: str
) -> None:
    case = CAUSES[kind](engine, monkeypatch)
    past_window(case)
    was, attempts = what_is_there(), Attempt.objects.count()
    verdicts.give(case.pk, given_for(case, verdict), user=engine.approver)
    assert (what_is_there(), Attempt.objects.count()) == (was, attempts)
    engine.turn()
    if Run.objects.filter(status="queued").exists():  # the run that undoes; one that was woken
        engine.turn()
    run, end = Run.objects.get(pk=case.run_id), ENDS[kind, verdict]
    assert (run.status, run.reason) == (end.status, end.reason), run.sentence
    if end.outcome is not None:
        assert Action.objects.filter(run=run).order_by("-proposed_seq")[0].outcome == end.outcome
    if kind != "unmigratable":  # whose effect was approved before
        assert (what_is_there(), Attempt.objects.count()) == (was, attempts)
