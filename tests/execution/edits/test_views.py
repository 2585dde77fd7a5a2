"""The pages of states written by hand, asked as a browser asks them."""

import json
from typing import Any

import pytest
from django.test import Client

from approvals.models import EditDecision, EditRequest
from checkpoints.models import Run
from tests.engine.turns import Bench
from tests.execution.edits.desks import Desk, crashed
from tests.execution.runs import full
from tests.people import bob
from tests.reconciliation.deskwork import signed_in

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def desk(engine: Bench, monkeypatch: pytest.MonkeyPatch) -> Desk:
    return crashed(engine, monkeypatch)


def page_of(desk: Desk) -> str:
    return f"/t/{desk.engine.tenant.slug}/cases/{desk.case.pk}/edits/"


def edit_url(desk: Desk, edit: EditRequest, more: str = "") -> str:
    return f"/t/{desk.engine.tenant.slug}/edits/{edit.pk}/{more}"


def text_of(client: Client, desk: Desk) -> str:
    answer = client.get(page_of(desk))
    assert answer.status_code == 200
    return str(answer.context["form"]["text"].value())


def post(client: Client, desk: Desk, text: str, **more: Any) -> Any:
    given = {"parent_seq": full(desk.run).head, "text": text, "reason": "wrong", "do": "propose"}
    return client.post(page_of(desk), {**given, **more})


def test_a_state_is_written_shown_and_allowed_by_a_second_person(desk: Desk) -> None:
    eve, dee = signed_in(desk.author), signed_in(desk.second)
    state = json.loads(text_of(eve, desk))
    assert state["amount"] == -1
    assert state["token"].startswith("«secret ")
    assert "tok-secret-1" not in text_of(eve, desk)
    text = json.dumps({**state, "amount": 7})
    looked = post(eve, desk, text, do="look", reason="")
    assert looked.status_code == 200
    assert b"/state/amount" in looked.content
    assert not EditRequest.objects.exists()
    proposed = post(eve, desk, text)
    edit = EditRequest.objects.get()
    assert (proposed.status_code, proposed["Location"]) == (302, edit_url(desk, edit))
    shown = dee.get(edit_url(desk, edit))
    assert edit.edit_hash.encode() in shown.content
    assert b"/state/amount" in shown.content
    assert b"tok-secret-1" not in shown.content
    answer = dee.post(
        edit_url(desk, edit, "decision/"), {"verdict": "approve", "shown": edit.edit_hash}
    )
    assert answer.status_code == 302
    desk.engine.turn()
    assert full(desk.run).status == "succeeded"
    assert b"checkpoint 2" in dee.get(edit_url(desk, edit)).content


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "not strict JSON"),
        ('{"amount": 1, "amount": 2}', "not strict JSON"),
        ("[1]", "a JSON object"),
        ('{"amount": "seven"}', "does not fit the schema"),
        ('{"token": "x"}', "does not fit the schema"),
        ('{"amount": 1, "$chains": {}}', "belong to the engine"),
    ],
)
def test_what_was_typed_comes_back_with_what_is_wrong(desk: Desk, text: str, says: str) -> None:
    answer = post(signed_in(desk.author), desk, text)
    assert answer.status_code == 422
    assert says in answer.content.decode().replace("&#x27;", "'")
    assert answer.context["form"]["text"].value() == text
    assert not EditRequest.objects.exists()


def test_the_author_cannot_decide_and_somebody_without_payloads_sees_none(desk: Desk) -> None:
    edit = desk.write({"amount": 7})
    said = {"verdict": "approve", "shown": edit.edit_hash}
    assert signed_in(desk.author).post(edit_url(desk, edit, "decision/"), said).status_code == 403
    viewer = signed_in(bob(desk.engine.tenant))
    page = viewer.get(edit_url(desk, edit))
    assert page.status_code == 200
    assert b"/state/amount" not in page.content
    assert viewer.get(page_of(desk)).status_code == 403
    assert not EditDecision.objects.exists()


def test_what_moved_is_told_beside_the_answer_that_was_not_counted(desk: Desk) -> None:
    edit = desk.write({"amount": 7})
    Run.objects.filter(pk=desk.run.pk).update(fence=desk.run.fence + 3)
    said = {"verdict": "approve", "shown": edit.edit_hash, "reason": "my note"}
    answer = signed_in(desk.second).post(edit_url(desk, edit, "decision/"), said)
    assert answer.status_code == 409
    assert b"fence" in answer.content
    assert b"my note" in answer.content
    assert not EditDecision.objects.exists()


def test_a_no_needs_a_note_and_the_author_writes_it_anew(desk: Desk) -> None:
    edit = desk.write({"amount": 7})
    dee, eve = signed_in(desk.second), signed_in(desk.author)
    said = {"verdict": "send_back", "shown": edit.edit_hash}
    assert dee.post(edit_url(desk, edit, "decision/"), said).status_code == 422
    said["reason"] = "seven is too much"
    assert dee.post(edit_url(desk, edit, "decision/"), said).status_code == 302
    again = eve.get(page_of(desk), {"again": str(edit.pk)})
    assert b"seven is too much" in again.content
    assert json.loads(str(again.context["form"]["text"].value()))["amount"] == 7
    run = full(desk.run)
    assert (run.status, run.head) == ("held", 1)


def test_one_who_withdraws_says_why(desk: Desk) -> None:
    edit = desk.write({"amount": 7})
    eve = signed_in(desk.author)
    assert eve.post(edit_url(desk, edit, "withdrawal/"), {"reason": " "}).status_code == 422
    assert eve.post(edit_url(desk, edit, "withdrawal/"), {"reason": "a slip"}).status_code == 302
    edit.refresh_from_db()
    assert (edit.state, edit.closed_because) == ("withdrawn", "a slip")


def test_the_case_offers_it_and_then_leads_to_what_was_proposed(desk: Desk) -> None:
    case = f"/t/{desk.engine.tenant.slug}/cases/{desk.case.pk}/"
    eve, dee = signed_in(desk.author), signed_in(desk.second)
    assert page_of(desk).encode() in eve.get(case).content
    assert page_of(desk).encode() not in dee.get(case).content
    edit = desk.write({"amount": 7})
    assert edit_url(desk, edit).encode() in dee.get(case).content
