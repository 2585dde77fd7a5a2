"""Check now, warnings before an end, and the one plan that lets held runs go on."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from checkpoints.models import Run
from execution import credentialchecks, sweeper
from reconciliation.credentials import checking, warning
from reconciliation.credentials.keeping import Noted
from reconciliation.credentials.models import Credential
from reconciliation.errors import CredentialRefusedError
from reconciliation.tools import CredentialInvalid, Unanswered
from tenants.access import grant, holders
from tenants.errors import Denied
from tenants.models import AuditRow
from tenants.notifications.models import Notification
from tests.engine.turns import Bench
from tests.execution.pages.visits import signed_in, words
from tests.people import cy
from tests.reconciliation.credentials.test_keeping import Logged, note, noted, stored, tool
from tests.secrecy.conftest import careless, engine, run
from tests.secrecy.registry import TOOLS

__all__ = ["careless", "engine", "noted", "run", "tool"]
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def quick(settings: Settings) -> Iterator[None]:
    settings.KEDGE_NOTIFICATIONS = True
    credentialchecks._warnings.forget()
    yield
    assert credentialchecks.wait(10)


def checked() -> int:
    started = credentialchecks.check()
    assert credentialchecks.wait(10)
    return started


def in_days(days: float) -> Noted:
    return Noted("robot", "env:X", "1", timezone.now() + timedelta(days=days))


def test_what_is_noted_is_checked_at_once_and_then_left_alone(
    careless: Bench, noted: Credential, tool: Logged
) -> None:
    assert checked() == 1
    assert (stored().result, stored().wanted_at, tool.asked) == ("valid", None, 1)
    assert checked() == 0


def test_check_now_asks_once_more_and_says_how_old_the_answer_is(
    careless: Bench, noted: Credential, tool: Logged
) -> None:
    checked()
    tool.problem = CredentialInvalid("withdrawn")
    address = reverse("reconciliation:credentials", args=[careless.tenant.slug])
    client = signed_in(careless.starter)
    page = client.post(f"{address}check/", {"tool": "careless"}, follow=True)
    assert "being checked" in words(page)
    assert checked() == 1
    page = client.get(address)
    assert "does not work" in words(page)
    assert "withdrawn" in words(page)
    assert "being checked" not in words(page)
    assert AuditRow.objects.filter(verb="check_credential").count() == 1


def test_only_who_operates_or_manages_has_it_checked(careless: Bench, noted: Credential) -> None:
    with pytest.raises(Denied):
        checking.want(careless.tenant, "careless", user=cy())
    with pytest.raises(CredentialRefusedError):
        checking.want(careless.tenant, "unheard", user=careless.starter)


def test_one_that_did_not_work_is_asked_again_by_itself(
    careless: Bench, noted: Credential, tool: Logged
) -> None:
    tool.problem = Unanswered("no route")
    checked()
    assert stored().result == "unanswered"
    assert checked() == 0
    Credential.objects.update(checked_at=timezone.now() - checking.AGAIN)
    tool.problem = None
    assert checked() == 1
    assert stored().result == "valid"


def test_two_sweepers_ask_once(careless: Bench, noted: Credential, tool: Logged) -> None:
    assert [each.pk for each in checking.claim()] == [noted.pk]
    assert checking.claim() == []


def test_what_the_tool_says_of_its_end_is_kept_and_the_earlier_end_counts(
    careless: Bench, noted: Credential, tool: Logged, monkeypatch: pytest.MonkeyPatch
) -> None:
    soon = timezone.now() + timedelta(days=2)
    monkeypatch.setattr(TOOLS["careless"], "credential_expires_at", lambda _: soon, raising=False)
    note(careless, in_days(30))
    checked()
    assert stored().ends_at == soon
    note(careless, in_days(1))
    checked()
    ends_at = stored().ends_at
    assert ends_at is not None
    assert ends_at < soon


@pytest.mark.parametrize(
    ("days", "warned"), [(20, []), (13, [14]), (2.5, [3]), (0.5, [1]), (-1, [1])]
)
def test_it_warns_at_14_3_and_1_days(
    careless: Bench, noted: Credential, days: float, warned: list[int]
) -> None:
    note(careless, in_days(days))
    credentialchecks.warn()
    found = AuditRow.objects.filter(verb="warn_of_credential")
    assert [row.detail["days"] for row in found] == warned


def test_each_warning_is_given_once_to_whoever_can_renew_it(
    careless: Bench, noted: Credential
) -> None:
    note(careless, in_days(13))
    assert warning.warn_due(50) == 1
    assert warning.warn_due(50) == 0
    told = Notification.objects.filter(kind="credential_ends")
    assert set(told.values_list("person", flat=True)) == {
        person.pk for person in holders(careless.tenant, "manage_tenant")
    }
    assert "ends within 14 days" in told[0].text
    Credential.objects.update(expires_at=timezone.now() + timedelta(days=2))
    assert warning.warn_due(50) == 1
    assert Notification.objects.filter(text__contains="within 3 days").exists()
    Credential.objects.update(expires_at=timezone.now() - timedelta(days=2))
    assert warning.warn_due(50) == 1
    assert Notification.objects.filter(text__contains="has ended").exists()


def test_one_noted_anew_is_warned_of_anew(careless: Bench, noted: Credential) -> None:
    note(careless, in_days(13))
    warning.warn_due(50)
    note(careless, in_days(300))
    assert warning.warn_due(50) == 0
    note(careless, in_days(13))
    assert warning.warn_due(50) == 1


def test_home_and_system_warn_a_fortnight_before(careless: Bench, noted: Credential) -> None:
    client = signed_in(careless.starter)
    home = reverse("home", args=[careless.tenant.slug])
    note(careless, in_days(20))
    assert "can renew it" not in words(client.get(home))
    note(careless, in_days(13))
    for page in (home, reverse("system")):
        assert "1 credential ends" in words(client.get(page))
        assert "Ada can renew it" in words(client.get(page))


def test_held_runs_are_one_plan_away_once_it_works(
    run: Run, noted: Credential, tool: Logged, careless: Bench
) -> None:
    grant(careless.tenant, careless.starter, "operate_runs")
    tool.problem = CredentialInvalid("withdrawn")
    careless.turn()
    client = signed_in(careless.starter)
    address = reverse("reconciliation:credentials", args=[careless.tenant.slug])
    said = words(client.get(address))
    assert "1 run that uses it is held for a credential" in said
    assert "Ada can renew it" in said
    assert "held run go on" not in said
    tool.problem = None
    note(careless)
    checked()
    page = client.get(address)
    assert "It works: let 1 held run go on" in words(page)
    plan = f"{reverse('new_plan', args=[careless.tenant.slug])}?from=credential&amp;tool=careless"
    assert plan in page.content.decode()


def test_the_sweeper_does_both(careless: Bench) -> None:
    assert {"check credentials", "warn of credentials"} <= sweeper.sweep().keys()
