"""`manage.py plan`: what it says, and that only a person who proves it starts or stops one."""

import io
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from execution.plans import states
from execution.plans.models import Plan
from tests.engine.turns import Bench
from tests.execution.plans.held import held, planned
from tests.people import bob

pytestmark = pytest.mark.django_db(transaction=True)
PASSWORD = "correct horse battery"


def said(*arguments: Any) -> str:
    out = io.StringIO()
    call_command("plan", *(str(each) for each in arguments), stdout=out)
    return out.getvalue()


@pytest.fixture
def plan(engine: Bench, monkeypatch: pytest.MonkeyPatch) -> Plan:
    for user in (engine.starter, bob(engine.tenant)):
        user.set_password(PASSWORD)
        user.save(update_fields=["password"])
    type_in(monkeypatch, PASSWORD)
    return planned(engine, held(engine, 2))


def type_in(patch: pytest.MonkeyPatch, text: str) -> None:
    patch.setattr("sys.stdin", io.StringIO(f"{text}\n" * 4))


def test_it_lists_and_shows_what_a_plan_does(engine: Bench, plan: Plan) -> None:
    assert f"{engine.tenant.slug} P-1 ready: Try again." in said("list")
    assert said("list", "--tenant", "nobody") == "there are no plans\n"
    shown = said("show", engine.tenant.slug, 1)
    assert plan.digest in shown
    assert "2 not carried out yet: the world changed" in shown


def test_a_person_starts_and_stops_it(engine: Bench, plan: Plan) -> None:
    who = ("--as", engine.starter.email)
    assert "started" in said("start", engine.tenant.slug, 1, *who, "--digest", plan.digest)
    assert Plan.objects.get().started_by == engine.starter
    assert "stopped" in said("stop", engine.tenant.slug, 1, *who)


def test_the_number_is_typed_above_the_limit(
    engine: Bench, plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(states, "TYPED_ABOVE", 1)
    start = ("start", engine.tenant.slug, 1, "--as", engine.starter.email, "--digest", plan.digest)
    with pytest.raises(CommandError, match="takes its number typed"):
        said(*start)
    assert "started" in said(*start, "--number", 2)


@pytest.mark.parametrize(
    ("who", "password", "says"),
    [
        ("ada@example.org", "wrong", "not the password"),
        ("nobody@example.org", PASSWORD, "no active person"),
        ("bob@example.org", PASSWORD, "no right"),
    ],
)
def test_nobody_else_starts_it(
    engine: Bench, plan: Plan, monkeypatch: pytest.MonkeyPatch, who: str, password: str, says: str
) -> None:
    type_in(monkeypatch, password)
    with pytest.raises(CommandError, match=says):
        said("start", engine.tenant.slug, 1, "--as", who, "--digest", plan.digest)
    assert Plan.objects.get().state == "ready"


def test_another_digest_and_no_such_plan_are_refused(engine: Bench, plan: Plan) -> None:
    who = ("--as", engine.starter.email)
    with pytest.raises(CommandError, match="not the plan"):
        said("start", engine.tenant.slug, 1, *who, "--digest", "0" * 64)
    with pytest.raises(CommandError, match="no such plan"):
        said("show", engine.tenant.slug, 2)
