"""What is posted on the page of a case beside a plain verdict: evidence, a second person, a step back."""

import hashlib

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from checkpoints import claims
from checkpoints.claims import Subject
from checkpoints.models import Case, ProposedVerdict, Superseded, Verdict
from tenants.access import grant
from tenants.roles import ROLES
from tests.engine.turns import Bench
from tests.people import bob, eve
from tests.reconciliation.deskwork import signed_in, unknown_mail
from tests.reconciliation.verdicts.twopeople import TWO, demand

pytestmark = pytest.mark.django_db(transaction=True)

SEEN = {
    "verdict": "it_happened",
    "reason": "Found.",
    "reference": "R-17",
    "link": "https://provider.example/r/17",
    "said_by": "Their support",
}


def address(case: Case, rest: str = "") -> str:
    return f"/t/{case.tenant.slug}/cases/{case.pk}/{rest}"


def test_evidence_says_where_it_was_seen_and_a_file_leaves_its_digest(engine: Bench) -> None:
    case = unknown_mail(engine)
    file = SimpleUploadedFile("log.csv", b"R-17,sent")
    client = signed_in(engine.starter)
    answer = client.post(address(case, "verdicts/"), SEEN | {"file": file}, follow=True)
    html = answer.content.decode()
    seen = Verdict.objects.get().detail["seen"]
    assert seen == {
        "reference": "R-17",
        "link": "https://provider.example/r/17",
        "file_digest": hashlib.sha256(b"R-17,sent").hexdigest(),
        "file_name": "log.csv",
        "said_by": "Their support",
    }
    for told in ("R-17", "SHA-256 of “log.csv”", "Their support", seen["file_digest"]):
        assert told in html
    assert 'href="https://provider.example/r/17"' in html


@pytest.mark.parametrize("link", ["javascript:alert(1)", "ftp://x.example/a", "no link"])
def test_a_link_that_is_none_is_refused_and_stays_on_the_page(engine: Bench, link: str) -> None:
    case = unknown_mail(engine)
    client = signed_in(engine.starter)
    answer = client.post(address(case, "verdicts/"), SEEN | {"link": link})
    assert answer.status_code == 422
    assert 'href="javascript' not in answer.content.decode()
    assert "R-17" in answer.content.decode()
    assert not Verdict.objects.exists()


def test_a_second_person_sees_what_is_proposed_and_agrees(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    demand(monkeypatch, engine.tenant, TWO)
    case = unknown_mail(engine)
    first, second = signed_in(engine.starter), signed_in(eve(engine.tenant))
    assert "Propose: It happened" in first.get(address(case)).content.decode()
    html = first.post(address(case, "verdicts/"), SEEN, follow=True).content.decode()
    assert "Nothing follows before somebody else agrees." in html
    assert "You proposed it, so somebody else must agree." in html
    proposal = ProposedVerdict.objects.get()
    html = second.get(address(case)).content.decode()
    assert f"Agree: It happened ({proposal.terms[:8]})" in html
    url, terms = address(case, f"proposals/{proposal.pk}/"), proposal.terms
    own = first.post(url, {"answer": "agree", "terms": terms})
    assert own.status_code == 422
    assert "You proposed it yourself" in own.content.decode()
    html = second.post(url, {"answer": "agree", "terms": terms}, follow=True).content.decode()
    assert "You agreed. It takes effect now." in html
    assert "Eve agreed on exactly this." in html
    assert Verdict.objects.get().people == 2


def test_a_proposal_that_moved_says_so(engine: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    demand(monkeypatch, engine.tenant, TWO)
    case = unknown_mail(engine)
    signed_in(engine.starter).post(address(case, "verdicts/"), SEEN)
    proposal = ProposedVerdict.objects.get()
    answer = signed_in(eve(engine.tenant)).post(
        address(case, f"proposals/{proposal.pk}/"), {"answer": "agree", "terms": "other"}
    )
    assert answer.status_code == 422
    assert "The case has moved since this was proposed" in answer.content.decode()
    assert not Verdict.objects.exists()


def test_a_verdict_is_taken_back_with_a_reason(engine: Bench) -> None:
    case = unknown_mail(engine)
    client = signed_in(engine.starter)
    client.post(address(case, "verdicts/"), SEEN)
    url = address(case, f"verdicts/{Verdict.objects.get().pk}/back/")
    assert client.post(url, {"reason": " "}).status_code == 422
    assert not Superseded.objects.exists()
    html = client.post(url, {"reason": "Wrong log."}, follow=True).content.decode()
    assert "Taken back by Ada" in html
    assert "Wrong log." in html
    assert "What you can decide" in html


def test_what_is_of_another_case_or_not_theirs_to_answer_is_not_found(engine: Bench) -> None:
    case, other = unknown_mail(engine), unknown_mail(engine)
    client = signed_in(engine.starter)
    client.post(address(case, "verdicts/"), SEEN)
    there = f"verdicts/{Verdict.objects.get().pk}/back/"
    assert client.post(address(other, there), {"reason": "x"}).status_code == 404
    assert signed_in(bob(engine.tenant)).post(address(case, there)).status_code == 403


def test_who_agrees_is_told_of_the_colleague_who_is_at_the_case(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    demand(monkeypatch, engine.tenant, TWO)
    case = unknown_mail(engine)
    signed_in(engine.starter).post(address(case, "verdicts/"), SEEN)
    grant(engine.tenant, engine.approver, *ROLES["operator"])
    claims.claim(Subject.of_case(case), user=engine.approver)
    proposal = ProposedVerdict.objects.get()
    url, terms = address(case, f"proposals/{proposal.pk}/"), proposal.terms
    answer = signed_in(eve(engine.tenant)).post(url, {"answer": "agree", "terms": terms})
    assert answer.status_code == 422
    assert "Dee" in answer.content.decode()
    assert not Verdict.objects.exists()
    assert ProposedVerdict.objects.get().ended == ""
