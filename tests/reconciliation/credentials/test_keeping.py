"""A credential record is a reference; who may note it; what a check keeps; what holds a run."""

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from checkpoints.models import Case, Run
from reconciliation.credentials import keeping
from reconciliation.credentials.keeping import Noted
from reconciliation.credentials.models import Credential
from reconciliation.errors import CredentialRefusedError
from reconciliation.tools import Capabilities, CredentialInvalid, Unanswered
from tenants.access import grant
from tenants.errors import Denied
from tenants.models import AuditRow
from tests.engine.faketools import Fake
from tests.engine.turns import Bench
from tests.people import bob, cy
from tests.secrecy.conftest import careless, engine, run
from tests.secrecy.registry import TOOLS

__all__ = ["careless", "engine", "run"]
pytestmark = pytest.mark.django_db(transaction=True)
NOTED = Noted("robot@example.org", "env:CARELESS_TOKEN", "3", None)


class Logged(Fake):
    """A tool whose credential does what the test says, and that counts how often it is asked."""

    problem: Exception | None = None
    asked = 0

    def check_credential(self, tenant: str) -> None:
        self.asked += 1
        if self.problem is not None:
            raise self.problem


@pytest.fixture
def tool(careless: Bench, monkeypatch: pytest.MonkeyPatch) -> Logged:
    """The careless tool, with a login."""
    made = Logged("careless", Capabilities())
    real = TOOLS["careless"]
    monkeypatch.setattr(real, "check_credential", made.check_credential, raising=False)
    return made


@pytest.fixture
def noted(careless: Bench) -> Credential:
    """A credential that Ada noted."""
    grant(careless.tenant, careless.starter, "manage_tenant")
    return note(careless)


def note(bench: Bench, noted: Noted = NOTED) -> Credential:
    return keeping.note(bench.tenant, "careless", noted, owner=bench.starter, user=bench.starter)


def stored() -> Credential:
    return Credential.objects.get()


def test_only_who_manages_the_tenant_notes_one(careless: Bench) -> None:
    for person in (careless.starter, bob(careless.tenant), cy()):
        with pytest.raises(Denied):
            keeping.note(careless.tenant, "careless", NOTED, owner=careless.starter, user=person)
    assert not Credential.objects.exists()


@pytest.mark.parametrize(
    "kept_at", ["hunter2", "ghp_0123456789abcdef", "env:", "vault:", "http://x"]
)
def test_a_secret_is_not_taken_for_a_reference(
    careless: Bench, noted: Credential, kept_at: str
) -> None:
    with pytest.raises(CredentialRefusedError, match="never what it is"):
        note(careless, Noted("robot", kept_at, "1", None))
    with pytest.raises(IntegrityError), transaction.atomic():
        Credential.objects.update(kept_at=kept_at.removesuffix(":"))


def test_the_owner_is_somebody_here(careless: Bench, noted: Credential) -> None:
    with pytest.raises(CredentialRefusedError, match="no right"):
        keeping.note(careless.tenant, "careless", NOTED, owner=cy(), user=careless.starter)


def test_noting_again_starts_unchecked_and_is_audited(
    careless: Bench, noted: Credential, tool: Logged
) -> None:
    keeping.check(noted, TOOLS["careless"])
    assert (stored().result, stored().checked_at is not None) == ("valid", True)
    note(careless, Noted("robot", "vault:kv/careless", "4", None))
    assert (stored().result, stored().checked_at, stored().version) == ("", None, "4")
    row = AuditRow.objects.filter(verb="note_credential").order_by("-audit_id")[0]
    assert (row.detail["version"], row.detail["was"]) == ("4", "3")


def test_a_check_of_the_one_before_is_not_kept_of_the_new(
    careless: Bench, noted: Credential, tool: Logged
) -> None:
    note(careless, Noted("robot", "vault:kv/careless", "4", None))
    keeping.check(noted, TOOLS["careless"])
    assert stored().result == ""


def test_a_run_whose_credential_does_not_work_is_held(
    run: Run, noted: Credential, tool: Logged, careless: Bench
) -> None:
    tool.problem = CredentialInvalid("the token was withdrawn")
    careless.turn()
    run.refresh_from_db()
    assert (run.status, run.reason, run.head) == ("held", "credential_invalid", 0)
    for part in ("robot@example.org", "the token was withdrawn", "Ada keeps this credential"):
        assert part in Case.objects.get().sentence
    assert (stored().result, stored().said) == ("invalid", "the token was withdrawn")


def test_a_run_whose_credential_is_expired_is_held_and_nobody_is_asked(
    run: Run, noted: Credential, tool: Logged, careless: Bench
) -> None:
    note(careless, Noted("robot", "env:X", "1", timezone.now() - timedelta(seconds=1)))
    careless.turn()
    run.refresh_from_db()
    assert (run.status, run.reason, tool.asked) == ("held", "credential_invalid", 0)
    assert "it expired on" in run.sentence


def test_a_check_that_goes_wrong_holds_the_run(
    run: Run, noted: Credential, tool: Logged, careless: Bench
) -> None:
    tool.problem = RuntimeError("boom")
    careless.turn()
    run.refresh_from_db()
    assert (run.status, run.reason) == ("held", "credential_invalid")


def test_a_tool_that_does_not_answer_stops_nobody_before_something_is_sent(
    run: Run, noted: Credential, tool: Logged, careless: Bench
) -> None:
    tool.problem = Unanswered("no route")
    careless.turn()
    run.refresh_from_db()
    assert run.head > 0
    assert (run.status, run.reason) == ("waiting", "for_retry")
    assert stored().result == "unanswered"


def test_a_credential_that_worked_a_moment_ago_is_not_asked_about(
    noted: Credential, tool: Logged, careless: Bench
) -> None:
    tools = {"careless": TOOLS["careless"]}
    for _ in range(3):
        keeping.check_before_going_on(careless.tenant, tools)
    assert tool.asked == 1
    Credential.objects.update(checked_at=timezone.now() - timedelta(minutes=2))
    keeping.check_before_going_on(careless.tenant, tools)
    assert tool.asked == 2


def test_a_warning_comes_a_fortnight_before() -> None:
    now = timezone.now()
    due = {13: True, 15: False, -1: True}
    for days, soon in due.items():
        credential = Credential(expires_at=now + timedelta(days=days))
        assert keeping.expires_soon(credential, now) is soon
    assert not keeping.expires_soon(Credential(), now)
