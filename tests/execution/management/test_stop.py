"""`manage.py stop`: it stops with Valkey gone, says what was out, and two people lift it."""

import io
import json

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from pytest_django import Settings

from checkpoints.errors import StopRefusedError
from checkpoints.models import Lifting, Stop
from checkpoints.registry import combo_of
from tenants.models import AuditRow, User
from tests.engine.turns import Bench
from tests.execution.management.test_commands import say
from tests.people import eve, make_tenant
from tests.reconciliation.ready import ready

pytestmark = pytest.mark.django_db(transaction=True)

PASSWORDS = {"ada@example.org": "one of Ada's", "eve@example.org": "one of Eve's"}


@pytest.fixture
def people(engine: Bench) -> tuple[User, User]:
    """Ada and Eve, who know their passwords."""
    found = engine.starter, eve(engine.tenant)
    for user in found:
        user.set_password(PASSWORDS[user.email])
        user.save()
    return found


def lift(monkeypatch: pytest.MonkeyPatch, *arguments: object, typed: str = "") -> str:
    """What a command that asks for a password prints."""
    email = next((str(each) for each in arguments if "@" in str(each)), "")
    monkeypatch.setattr("sys.stdin", io.StringIO((typed or PASSWORDS.get(email, "")) + "\n"))
    return say("stop", *arguments)


def test_it_stops_and_lists_what_was_out_and_what_became_of_it(engine: Bench) -> None:
    it = ready(engine)
    attempt = it.dispatch()
    said = say("stop", "--tenant", engine.tenant.slug, "--why", "incident")
    assert f"stopping: 1 calls still out  effects of tenant {engine.tenant.slug}" in said
    assert "1 calls were out: 0 happened, 0 did not, 0 written off, 1 not known" in said
    assert f"{it.action.id} write a-0 ({engine.tenant.slug}): still_out" in said
    it.answer(attempt)
    (told,) = json.loads(say("stop", "--list", "--json"))
    assert (told["state"], told["calls"]["still_out"], told["calls"]["happened"]) == (
        "stopped",
        0,
        1,
    )
    assert told["calls"]["listed"][0]["became"] == "happened"


def test_without_a_tenant_everything_is_stopped(engine: Bench) -> None:
    told = json.loads(say("stop", "--new-runs", "--why", "flood", "--json"))
    assert (told["state"], told["lock"], told["scope"]["tenant"]) == ("stopped", "new_runs", None)
    with pytest.raises(CommandError, match="new runs are stopped"):
        say("start", engine.tenant.slug, "steps", "k")


def test_one_thing_is_stopped(engine: Bench) -> None:
    digest = bytes(combo_of("steps").digest).hex()
    combo_of("strict")
    say("stop", "--task-type", "steps", "--why", "x")
    say("stop", "--tool", "fake.void", "--tenant", engine.tenant.slug, "--why", "x")
    say("stop", "--combo", digest[:10], "--why", "x")
    found = {(each.tenant, each.task_type, each.tool, each.combo) for each in Stop.objects.all()}
    assert found == {
        (None, "steps", "", None),
        (engine.tenant, "", "fake.void", None),
        (None, "", "", combo_of("steps")),
    }
    with pytest.raises(CommandError, match="0 combos begin with 'zz'"):
        say("stop", "--combo", "zz", "--why", "x")


def test_it_says_how_many_approvals_are_unused(engine: Bench) -> None:
    ready(engine)
    assert "1 approvals unused" in say("stop", "--why", "x")
    assert "0 approvals unused" in say("stop", "--tool", "fake.keyed", "--why", "x")


def test_a_stop_without_a_reason_or_of_no_tenant_is_refused(engine: Bench) -> None:
    with pytest.raises(CommandError, match="a stop needs a reason"):
        say("stop")
    with pytest.raises(CommandError):
        say("stop", "--tenant", "nowhere", "--why", "x")
    assert not Stop.objects.exists()
    assert say("stop", "--list") == "nothing is stopped\n"


def test_two_people_lift_it_from_the_shell(
    engine: Bench, people: tuple[User, User], monkeypatch: pytest.MonkeyPatch
) -> None:
    say("stop", "--tenant", engine.tenant.slug, "--why", "x")
    number = Stop.objects.get().pk
    said = lift(
        monkeypatch,
        *("--lift", number, "--as", "ada@example.org", "--why", "over", "--per-minute", 30),
    )
    assert "Ada proposes to lift it until" in said
    said = lift(monkeypatch, "--confirm", number, "--as", "eve@example.org")
    assert said.startswith(f"{number}  lifted")
    assert Stop.objects.get().lifted_by == "Ada and Eve"
    assert Lifting.objects.get().per_minute == 30
    rows = AuditRow.objects.filter(verb__in=["proposed lifting", "lifted"])
    assert [row.detail["proved_by"] for row in rows] == ["command", "command"]


def test_one_person_does_not_lift_it_from_the_shell(
    engine: Bench, people: tuple[User, User], monkeypatch: pytest.MonkeyPatch
) -> None:
    say("stop", "--tenant", engine.tenant.slug, "--why", "x")
    number = Stop.objects.get().pk
    lift(monkeypatch, "--lift", number, "--as", "ada@example.org", "--why", "over")
    with pytest.raises(CommandError, match="somebody else has to confirm"):
        lift(monkeypatch, "--confirm", number, "--as", "ada@example.org")
    with pytest.raises(CommandError, match="not the password of eve"):
        lift(monkeypatch, "--confirm", number, "--as", "eve@example.org", typed="a guess")
    said = lift(monkeypatch, "--withdraw", number, "--as", "eve@example.org")
    assert "stopped" in said
    assert Lifting.objects.get().ended == "withdrawn"
    assert Stop.objects.get().lifted_at is None


def test_a_machine_lifts_nothing_and_is_on_record(engine: Bench) -> None:
    say("stop", "--why", "x")
    with pytest.raises(CommandError, match="never a program"):
        say("stop", "--lift", Stop.objects.get().pk, "--why", "over")
    row = AuditRow.objects.get(verb="refused_lift")
    assert (row.actor_kind, row.actor_name, row.detail) == (
        "machine",
        "command line",
        {"code": "machine"},
    )


def test_who_has_no_password_is_sent_to_the_page(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    say("stop", "--why", "x")
    with pytest.raises(CommandError, match="lift the stop on its page"):
        lift(monkeypatch, "--lift", Stop.objects.get().pk, "--as", "ada@example.org")


def test_it_stops_with_valkey_gone(engine: Bench, settings: Settings) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    it = ready(engine)
    say("stop", "--why", "no Valkey")
    with pytest.raises(Exception, match="no Valkey"):
        it.dispatch()


def test_help_says_how_to_stop_and_how_two_lift(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        call_command("stop", "--help")
    told = capsys.readouterr().out
    for said in ("stop --tenant acme --why", "--lift 7 --as ada@example.org", "half an hour"):
        assert said in told


def test_a_stop_of_all_needs_two_who_operate_every_tenant(
    engine: Bench, people: tuple[User, User], monkeypatch: pytest.MonkeyPatch
) -> None:
    say("stop", "--why", "x")
    make_tenant("other")
    with pytest.raises(CommandError, match="at each") as refusal:
        lift(
            monkeypatch, "--lift", Stop.objects.get().pk, "--as", "ada@example.org", "--why", "over"
        )
    assert isinstance(refusal.value.__cause__, StopRefusedError)
