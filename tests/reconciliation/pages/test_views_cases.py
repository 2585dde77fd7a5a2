"""The page of a case: what is wrong, what may be decided, and what it answers to each verdict."""

import pytest
from django.test import Client

from checkpoints import states
from checkpoints.models import Case, Verdict
from reconciliation.models import Action
from tests.engine.turns import Bench
from tests.people import ada, bob, cy, dee, make_tenant
from tests.reconciliation.deskwork import held, past_window, signed_in, unknown_mail

pytestmark = pytest.mark.django_db(transaction=True)


def address(case: Case, rest: str = "") -> str:
    return f"/t/{case.tenant.slug}/cases/{case.pk}/{rest}"


def html_of(client: Client, url: str) -> str:
    answer = client.get(url)
    assert answer.status_code == 200
    return answer.content.decode()


def test_an_unknown_outcome_shows_facts_bytes_and_every_verdict(engine: Bench) -> None:
    case = unknown_mail(engine)
    html = html_of(signed_in(engine.starter), address(case))
    for told in (
        "Did this happen?",
        "was sent and no answer came",
        "Attempt 1",
        "Outcome unknown",
        "Intent committed",
        "Deadline",
        "It happened",
        "It did not happen: ask to send it again",
        "Nobody can know: write it off",
        "No verdict sends anything by itself.",
        "a-0",
    ):
        assert told in html
    assert "tone-unknown" in html
    assert "Ask the tool again" not in html
    assert "It may still arrive until" in html


def test_the_payload_is_kept_from_those_who_may_not_read_it(engine: Bench) -> None:
    case = unknown_mail(engine)
    html = html_of(signed_in(bob(engine.tenant)), address(case))
    assert "Shown to people with the right to read payloads." in html
    assert "&quot;a-0&quot;" not in html
    assert "You do not have the right to decide cases here." in html


def test_a_verdict_is_recorded_and_not_yet_proven_until_the_run_went_past(engine: Bench) -> None:
    case = unknown_mail(engine)
    client = signed_in(engine.starter)
    given = {"verdict": "it_happened", "reason": "Seen.", "evidence": "Mailbox of the customer."}
    answer = client.post(address(case, "verdicts/"), given, follow=True)
    html = answer.content.decode()
    assert "You decided: It happened." in html
    assert "Sent, not yet proven" in html
    assert "Ada decided." in html
    assert "Mailbox of the customer." in html
    assert "What you can decide" not in html
    assert "Take this verdict back" in html
    engine.turn()
    html = html_of(client, address(case))
    assert "Closed: " in html
    assert Action.objects.get(run=case.run).outcome == "happened"


def test_missing_evidence_keeps_what_was_written(engine: Bench) -> None:
    case = unknown_mail(engine)
    client = signed_in(engine.starter)
    answer = client.post(
        address(case, "verdicts/"), {"verdict": "it_happened", "reason": "typed before"}
    )
    assert answer.status_code == 422
    html = answer.content.decode()
    assert "this verdict needs evidence" in html
    assert "typed before" in html
    assert not Verdict.objects.exists()


def test_a_verdict_that_is_refused_keeps_what_was_written(engine: Bench) -> None:
    case = unknown_mail(engine)
    client = signed_in(engine.starter)
    given = {"verdict": "it_did_not", "reason": "typed reason", "evidence": "typed evidence"}
    answer = client.post(address(case, "verdicts/"), given)
    assert answer.status_code == 422
    html = answer.content.decode()
    assert "It may still arrive until" in html
    assert "typed evidence" in html
    assert not Verdict.objects.exists()


def test_did_not_happen_can_be_said_when_the_window_is_over(engine: Bench) -> None:
    case = unknown_mail(engine)
    past_window(case)
    client = signed_in(engine.starter)
    assert "It may still arrive" not in html_of(client, address(case))
    given = {"verdict": "it_did_not", "reason": "Not there.", "evidence": "Looked."}
    assert client.post(address(case, "verdicts/"), given).status_code == 302
    assert Action.objects.get(run=case.run).outcome == "did_not_happen"


def test_the_second_verdict_is_told_of_the_first_and_keeps_its_text(engine: Bench) -> None:
    case = unknown_mail(engine)
    first, second = signed_in(engine.starter), signed_in(engine.starter)
    given = {"verdict": "write_off", "reason": "first"}
    assert first.post(address(case, "verdicts/"), given).status_code == 302
    answer = second.post(address(case, "verdicts/"), {**given, "reason": "second"})
    assert answer.status_code == 409
    html = answer.content.decode()
    assert "This case was decided before you pressed" in html
    assert "second" in html
    assert Verdict.objects.count() == 1


@pytest.mark.parametrize("kind", states.CASE_KINDS)
def test_every_kind_has_a_page_that_says_what_to_do(kind: str) -> None:
    case = held(make_tenant(), kind, head=0)
    html = html_of(signed_in(ada(case.tenant)), address(case))
    assert f"The sentence of {kind}." in html
    assert "What you can decide" in html
    assert "you lack" not in html


def test_a_damaged_run_names_the_checkpoints_one_may_go_on_from(engine: Bench) -> None:
    run = engine.start(tool="fake.void", what="a")
    engine.turn()
    run.refresh_from_db()
    case = held(engine.tenant, "damaged_checkpoint", run, head=run.head)
    html = html_of(signed_in(engine.starter), address(case))
    assert html.count('<td data-label="Is it intact?">intact</td>') == run.head
    answer = signed_in(engine.starter).post(
        address(case, "verdicts/"), {"verdict": "go_on_from", "reason": "typed"}
    )
    assert answer.status_code == 422
    assert "Name the checkpoint to go on from." in answer.content.decode()


def test_a_verdict_this_kind_cannot_get_is_refused() -> None:
    case = held(make_tenant(), "crash_loop", head=0)
    client = signed_in(ada(case.tenant))
    answer = client.post(address(case, "verdicts/"), {"verdict": "write_off", "reason": "x"})
    assert answer.status_code == 422
    assert not Verdict.objects.exists()


@pytest.mark.parametrize("rest", ["", "standing/"])
def test_strangers_and_visitors_learn_nothing(rest: str) -> None:
    case = held(make_tenant(), "crash_loop")
    assert signed_in(cy()).get(address(case, rest)).status_code == 404
    assert Client().get(address(case, rest)).status_code == 302
    other = make_tenant("other")
    there = address(case, rest).replace("/t/acme/", "/t/other/")
    assert signed_in(ada(case.tenant, other)).get(there).status_code == 404


def test_verdicts_are_for_those_who_may_reconcile() -> None:
    case = held(make_tenant(), "crash_loop")
    given, url = {"verdict": "try_again", "reason": "x"}, address(case, "verdicts/")
    assert signed_in(cy()).post(url, given).status_code == 404
    assert signed_in(dee(case.tenant)).post(url, given).status_code == 403
    assert Client().post(url, given).status_code == 401
    assert signed_in(ada(case.tenant)).get(url).status_code == 405
    assert not Verdict.objects.exists()


def test_a_page_without_forms_is_made_anew_when_the_case_moved() -> None:
    case = held(make_tenant(), "crash_loop")
    reader, writer = signed_in(bob(case.tenant)), signed_in(ada(case.tenant))
    assert "standing/?shown=open" in html_of(reader, address(case))
    assert "?shown" not in html_of(writer, address(case))
    given = {"verdict": "try_again", "reason": "x"}
    writer.post(address(case, "verdicts/"), given)
    moved = reader.get(address(case, "standing/?shown=open"))
    assert moved["HX-Refresh"] == "true"
    assert "HX-Refresh" not in writer.get(address(case, "standing/")).headers
