"""A key that a person sends by hand gets its arm whatever the shares say, and no gate compares it."""

from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse

from checkpoints import runs
from checkpoints.asked import Request
from checkpoints.models import Override, Run
from checkpoints.registry import combo_of
from releases.errors import ReleaseRefusedError
from releases.gates import standing
from releases.numbers import taking
from releases.numbers.subjects import of_release
from releases.overrides import setting
from releases.overrides.setting import Wanted
from tenants.actors import Actor
from tenants.errors import Denied
from tenants.models import AuditRow
from tests.execution.pages.visits import signed_in, words
from tests.people import bob, make_tenant
from tests.releases.traffic import Traffic

pytestmark = pytest.mark.django_db


def sent(releases: Traffic, *keys: str, arm: str = "candidate", why: str = "asked") -> list[Any]:
    return setting.send(releases.tenant, Wanted("steps", keys, arm, why), user=releases.ada)


def start(releases: Traffic, key: str) -> Run:
    request = Request("steps", key, {}, channel="test", critical=False)
    return runs.start(releases.tenant, request, actor=Actor.machine("test"))[0]


@pytest.mark.parametrize("share", [1, 10_000])
def test_a_key_goes_where_it_is_sent_and_the_next_goes_by_its_share(
    releases: Traffic, share: int
) -> None:
    releases.canary(share)
    sent(releases, "mine")
    sent(releases, "theirs", arm="stable")
    assert start(releases, "mine").combo == releases.candidate
    assert start(releases, "theirs").combo == combo_of("steps")
    by_share = releases.candidate if share == 10_000 else combo_of("steps")
    assert start(releases, "another").combo == by_share


def test_without_a_candidate_every_key_gets_what_is_stable(releases: Traffic) -> None:
    release = releases.canary()
    sent(releases, "mine")
    releases.move(release, standing.STOP)
    assert start(releases, "mine").combo == combo_of("steps")


def test_of_another_tenant_and_another_task_nothing_is_sent(releases: Traffic) -> None:
    releases.canary(1)
    sent(releases, "mine")
    route = releases.route()
    route.tenant = make_tenant("elsewhere")
    assert setting.in_force(route.tenant.pk, "steps") == []
    assert setting.in_force(releases.tenant.pk, "strict") == []


def test_gates_compare_no_run_that_was_sent_by_hand(releases: Traffic) -> None:
    release = releases.canary(10_000)
    before = start(releases, "sent later")
    [override] = sent(releases, "mine")
    start(releases, "mine")
    start(releases, "another")
    assert taking.take(of_release(release)).candidate.assigned == 2
    assert before.combo == releases.candidate
    setting.end(releases.tenant, override.pk, user=releases.dee)
    assert taking.take(of_release(release)).candidate.assigned == 2


def test_it_ends_once_and_the_shares_decide_again(releases: Traffic) -> None:
    releases.canary(1)
    [override] = sent(releases, "mine")
    setting.end(releases.tenant, override.pk, user=releases.dee)
    assert start(releases, "mine").combo == combo_of("steps")
    with pytest.raises(ReleaseRefusedError, match="already"):
        setting.end(releases.tenant, override.pk, user=releases.dee)
    said = AuditRow.objects.filter(subject=f"override {override.pk}").order_by("audit_id")
    assert [row.verb for row in said] == ["sent key by hand", "let shares decide about key"]


@pytest.mark.parametrize(
    ("keys", "arm", "why", "said"),
    [
        (("a",), "candidate", " ", "reason"),
        (("a",), "canary", "why", "no arm"),
        ((), "stable", "why", "from 1 to 100"),
        (("a", "a"), "stable", "why", "each once"),
        (("x" * 201,), "stable", "why", "characters"),
        (("known",), "stable", "why", "sent by hand already"),
    ],
)
def test_what_makes_no_sense_is_refused(
    releases: Traffic, keys: tuple[str, ...], arm: str, why: str, said: str
) -> None:
    releases.begin()
    sent(releases, "known")
    with pytest.raises(ReleaseRefusedError, match=said):
        sent(releases, *keys, arm=arm, why=why)
    assert Override.objects.count() == 1


def test_it_takes_the_right_and_a_route(releases: Traffic) -> None:
    with pytest.raises(ReleaseRefusedError, match="ever released"):
        sent(releases, "mine")
    releases.begin()
    viewer = bob(releases.tenant)
    with pytest.raises(Denied):
        setting.send(releases.tenant, Wanted("steps", ("a",), "stable", "why"), user=viewer)
    [override] = sent(releases, "mine")
    with pytest.raises(Denied):
        setting.end(releases.tenant, override.pk, user=viewer)
    with pytest.raises(Override.DoesNotExist):
        setting.end(make_tenant("elsewhere"), override.pk, user=releases.ada)


@pytest.mark.parametrize(
    "change",
    [{"arm": "stable"}, {"why": "another"}, {"business_key": "b"}, {"ended_at": None}],
)
def test_the_database_keeps_an_override_as_it_was(
    releases: Traffic, change: dict[str, Any]
) -> None:
    releases.begin()
    [override] = sent(releases, "mine")
    if "ended_at" in change:
        setting.end(releases.tenant, override.pk, user=releases.ada)
        change = {"ended_at": None, "ended_by": None}
    with pytest.raises(IntegrityError), transaction.atomic():
        Override.objects.filter(pk=override.pk).update(**change)
    with pytest.raises(IntegrityError, match="only ever added"), transaction.atomic():
        Override.objects.all().delete()


def test_keys_are_sent_and_taken_back_on_the_page_of_the_task(releases: Traffic) -> None:
    releases.canary(1)
    client, slug = signed_in(releases.ada), releases.tenant.slug
    page = reverse("task_releases", args=[slug, "steps"])
    given = {"keys": "ORDER-1\n\n ORDER-2 \n", "arm": "candidate", "why": "they asked"}
    assert client.post(reverse("send_keys", args=[slug, "steps"]), given)["Location"] == page
    said = words(client.get(page))
    assert "ORDER-1" in said
    assert "the candidate, while there is one" in said
    refused = client.post(reverse("send_keys", args=[slug, "steps"]), given)
    assert (refused.status_code, "sent by hand already" in words(refused)) == (422, True)
    release = reverse("release", args=[slug, 1])
    assert "2 business keys are sent by hand" in words(client.get(release))
    for override in Override.objects.all():
        client.post(reverse("end_key", args=[slug, "steps"]), {"override": override.pk})
    assert "No key is: the shares decide about all." in words(client.get(page))
    assert b"Send keys by hand" not in signed_in(bob(releases.tenant)).get(page).content
