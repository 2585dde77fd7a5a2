"""A form for many asks the proof of its worst first: not one half is decided without it."""

import uuid
from dataclasses import replace

import pytest
from django.test import Client

from approvals.models import ApprovalRequest, Decision
from tests.approvals.questions import ONE, asked
from tests.opening import open_all
from tests.people import dee, make_tenant
from tests.tenants import codes

pytestmark = pytest.mark.django_db
RISKY = replace(ONE, reauthenticate=True)
POST = "/t/acme/approvals/batches/"


@pytest.fixture
def client() -> Client:
    """Dee, who has an authenticator app and has not proved anything in this session."""
    user = dee(make_tenant())
    codes.give_app(user)
    client = Client()
    client.force_login(user)
    return client


def form(these: list[ApprovalRequest], verdict: str = "approve") -> dict[str, object]:
    for each in these:
        open_all(each.pk, dee())
    pairs = [f"{each.pk}:{each.action_hash}" for each in these]
    return {"pair": pairs, "verdict": verdict, "reason": "All read.", "nonce": str(uuid.uuid4())}


def test_one_that_is_hard_to_undo_asks_the_proof_for_all(client: Client) -> None:
    these = [asked(), asked(requirement=RISKY), asked()]
    answer = client.post(POST, form(these))
    assert answer.headers["Location"].startswith("/confirm/")
    assert not Decision.objects.exists()
    client.post("/confirm/code/", {"code": codes.now(dee()), "next": "/t/acme/"})
    assert not Decision.objects.exists()  # a proof is no press, and no press is replayed
    client.post(POST, form(these))
    assert set(Decision.objects.values_list("proved_by", flat=True)) == {"app"}
    assert {each.state for each in ApprovalRequest.objects.all()} == {"approved"}


def test_a_no_to_many_and_a_batch_of_harmless_ones_need_none(client: Client) -> None:
    client.post(POST, form([asked(), asked(requirement=RISKY)], "reject"))
    client.post(POST, form([asked()]))
    assert Decision.objects.count() == 3
