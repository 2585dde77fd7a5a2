"""A bad release told by real runs: from its ladder to a board with nothing open, and pushes taken back."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from agents.remotes import remote_url
from config.demo import people
from config.demo.release import stage
from config.embedded.places import places
from reconciliation.credentials.models import Credential
from tenants import access
from tenants.models import User
from tests import ground
from tests.agents.git_fixtures import git
from tests.config.test_up import MINE, stopped, up, wait_until_ready
from tests.ports import free_port

SWITCHES = {"KEDGE_DEMO": "1", "KEDGE_REFUND_DESK": "0"}


@pytest.mark.django_db
def test_only_a_demo_is_told(settings: Settings) -> None:
    settings.KEDGE_DEMO = False
    with pytest.raises(CommandError, match="no demo installation"):
        call_command("demo", "--bad-release")


@pytest.mark.django_db
def test_its_stage_is_set_once_with_two_who_manage_releases(demo: Path, operator: User) -> None:
    tenant = stage.make()
    assert stage.make() == tenant
    owners = [stage.account(each).pk for each in (people.OWNER, stage.SECOND)]
    assert access.who_may(tenant.pk, "manage_releases", [*owners, operator.pk]) == set(owners)
    again = stage.make(2)
    assert again != tenant
    assert access.who_may(again.pk, "manage_releases", owners) == set(owners)
    noted = Credential.objects.filter(tenant=tenant).values_list("tool", flat=True)
    assert sorted(noted) == ["git_push", "send_mail"]


@pytest.mark.django_db
def test_each_change_has_a_repository_of_its_own(demo: Path, operator: User) -> None:
    tenant = stage.make()
    first, second = stage.change(1, tenant), stage.change(2, tenant)
    assert first.business_key != second.business_key
    remote = remote_url(stage.SLUG, "small-01")
    before = git(remote, "rev-parse", "main")
    assert stage.change(1, tenant) == first
    assert git(remote, "rev-parse", "main") == before


@pytest.mark.slow
def test_a_bad_release_is_told_to_its_end() -> None:
    with ground.open_folder() as folder:
        var, port = folder / "var", free_port()
        here = {**SWITCHES, "KEDGE_SMTP_PORT": str(free_port())}
        with up(var, port, **here) as command:
            wait_until_ready(port, var, command)
            told = tell(var, port, here)
            assert told.returncode == 0, told.stderr
            assert "Closed: " in told.stdout
            with psycopg.connect(
                places(var, chosen=True, account=ground.ACCOUNT).database_url("kedge_owner")
            ) as owner:
                judge(owner, var)
            assert stopped(command, signal.SIGINT) == 0


def tell(var: Path, port: int, here: dict[str, str]) -> subprocess.CompletedProcess[str]:
    ours = {name: value for name, value in os.environ.items() if not MINE.match(name)}
    return subprocess.run(
        [sys.executable, "manage.py", "demo", "--bad-release"],
        cwd=ground.ROOT,
        env={**ours, **here, "KEDGE_VAR": str(var), "KEDGE_PORT": str(port)},
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )


def judge(owner: psycopg.Connection, var: Path) -> None:
    """What the rows and the remotes say of it."""
    release = owner.execute("SELECT place, share, candidate_id, stable_id FROM releases_release")
    [(place, share, candidate, stable)] = release.fetchall()
    assert (place, share) == ("stopped", 0)
    route = owner.execute("SELECT stable_id, candidate_id, share FROM checkpoints_route")
    assert route.fetchall() == [(stable, None, 0)]
    assert owner.execute("SELECT phase, ended FROM releases_rollback").fetchall() == [
        ("closed", "closed")
    ]
    open_ = "SELECT count(*) FROM releases_outstandingeffect WHERE signed_off = ''"
    assert owner.execute(open_).fetchall() == [(0,)]
    kinds = owner.execute("SELECT kind FROM releases_move ORDER BY number").fetchall()
    assert [kind for (kind,) in kinds] == ["begin", "widen", "stop", "roll_back"]
    live = "SELECT count(*) FROM checkpoints_run WHERE combo_id = %s AND finished_at IS NULL"
    assert owner.execute(live, [candidate]).fetchall() == [(0,)]
    taken_back = "SELECT count(*) FROM releases_outstandingeffect WHERE signed_off = 'compensated'"
    [(count,)] = owner.execute(taken_back).fetchall()
    assert reverted(var) == count >= 2


def reverted(var: Path) -> int:
    """How many remotes have a newest commit that takes one back, and the files of the one before."""
    found = 0
    for remote in map(str, (var / "remotes" / stage.SLUG).glob("*.git")):
        if git(remote, "log", "-1", "--format=%s", "main").startswith("Revert "):
            assert git(remote, "diff", "--stat", "main~2", "main") == ""
            found += 1
    return found
