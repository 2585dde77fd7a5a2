"""The demo is made once: who is there, what runs, and that a second time changes nothing."""

from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db.models import QuerySet
from django.test import override_settings
from pytest_django import Settings

from agents import repositories
from agents.remotes import remote_url
from checkpoints import versions
from checkpoints.models import Combo, Event, Run
from config.demo import people
from config.demo.seed import seed
from tenants import access
from tenants.models import AuditRow, Tenant, User

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("remotes")
    with override_settings(KEDGE_REMOTES=str(root)):
        for slug in people.TENANTS:
            repositories.prepare(slug)
            repositories.prepare(f"{slug}-twin")
    return root


@pytest.fixture
def remotes(made: Path, demo: Path, settings: Settings) -> Path:
    settings.KEDGE_REMOTES = str(made)
    return made


def test_the_second_time_changes_nothing_and_says_so(
    remotes: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("seed")
    before = rows()
    assert "Started 20 runs" in capsys.readouterr().out
    call_command("seed")
    assert rows() == before
    assert "nothing was changed" in capsys.readouterr().out


def test_twelve_changes_run_for_the_first_tenant_and_fewer_for_the_second(remotes: Path) -> None:
    seed(print)
    changes = {slug: of(slug).filter(task_type="fleet_change").count() for slug in people.TENANTS}
    assert changes == {people.HARBOUR: 12, people.NORTHSEA: 3}
    assert Run.objects.filter(task_type="repository_report").count() == 5
    keys = [set(of(slug).values_list("business_key", flat=True)) for slug in people.TENANTS]
    assert not keys[0] & keys[1]
    # One combo is of the next release's code, whose migrator does not read every state.
    combos = Combo.objects.filter(task_type="fleet_change")
    assert {versions.of(combo).state_schema for combo in combos} == {1, 2}
    # Whoever starts a run may not approve what it sends.
    assert set(Run.objects.values_list("started_by", flat=True)) == {None}


def test_the_operator_may_approve_and_the_auditor_changes_nothing(operator: User) -> None:
    harbour = Tenant.objects.get(slug=people.HARBOUR)
    assert "approve_actions" in access.of(operator).rights[harbour.pk]
    auditor = people.user_of(people.AUDITOR)
    assert auditor is not None
    rights = access.of(auditor).rights
    assert dict(rights) == {harbour.pk: {"view_runs", "read_payloads", "audit"}}


def test_what_is_missing_is_made_and_said(demo: Path) -> None:
    said: list[str] = []
    assert seed(said.append)
    assert Path(remote_url(people.HARBOUR, "rq")).exists()
    assert Path(remote_url("harbour-twin", "rq")).exists()
    assert "Harbour Works: 12 of 12 repositories, now allauth" in said


def test_no_demo_is_made_where_none_is_wanted(settings: Settings) -> None:
    settings.KEDGE_DEMO = False
    with pytest.raises(CommandError, match="KEDGE_DEMO=1"):
        call_command("seed")
    assert not Tenant.objects.exists()


def rows() -> dict[str, Any]:
    return {
        "people": User.objects.count(),
        "audit": AuditRow.objects.count(),
        "runs": Run.objects.count(),
        "events": Event.objects.count(),
    }


def of(slug: str) -> QuerySet[Run]:
    return Run.objects.filter(tenant__slug=slug)
