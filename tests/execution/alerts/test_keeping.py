"""Alert rules: when they go off, whom they tell, and that they tell once."""

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from checkpoints.errors import IllegalMoveError
from execution.alerts import judging, keeping
from execution.alerts.keeping import Wanted
from execution.alerts.models import Alarm, AlertRule
from execution.problems import changing, sorting
from execution.problems.changing import Snooze
from execution.problems.models import Problem
from execution.problems.standing import Standing, Tally
from tenants.access import grant
from tenants.errors import Denied
from tenants.models import AuditRow, User
from tenants.notifications.models import Notification
from tests import people
from tests.engine.turns import Bench
from tests.execution.plans.held import held
from tests.people import make_tenant

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def boss(engine: Bench) -> User:
    """Who manages the tenant, and owns what nobody else does."""
    boss = people.eve(engine.tenant)
    grant(engine.tenant, boss, "manage_tenant")
    return boss


@pytest.fixture(autouse=True)
def told(settings: object) -> None:
    settings.KEDGE_NOTIFICATIONS = True  # type: ignore[attr-defined]


def alerts() -> list[str]:
    return [each.text for each in Notification.objects.filter(kind="alert").order_by("pk")]


def test_a_rule_goes_off_past_its_bound_tells_the_owner_once_and_is_over(
    engine: Bench, boss: User
) -> None:
    keeping.make(engine.tenant, Wanted("runs", 2), user=boss)
    held(engine, 2)
    assert (keeping.watch(), alerts()) == (0, [])
    held(engine)
    assert [keeping.watch(), keeping.watch()] == [1, 0]
    alarm = Alarm.objects.get()
    assert (alarm.value, alarm.over_at) == (3, None)
    [text] = alerts()
    assert text.endswith("runs 3, more than 2.")
    assert Notification.objects.get(kind="alert").person == boss
    AlertRule.objects.update(over=3)
    assert keeping.watch() == 0
    alarm.refresh_from_db()
    assert alarm.over_at is not None
    AlertRule.objects.update(over=2)
    assert keeping.watch() == 1
    assert len(alerts()) == 2


def test_a_text_names_nothing_of_a_run(engine: Bench, boss: User) -> None:
    keeping.make(engine.tenant, Wanted("runs", 0), user=boss)
    [run] = held(engine)
    keeping.watch()
    [text] = alerts()
    assert run.business_key not in text
    assert "moved" not in text


def test_other_problems_and_other_tenants_leave_a_rule_quiet(engine: Bench, boss: User) -> None:
    keeping.make(engine.tenant, Wanted("runs", 0, kind="crash_loop"), user=boss)
    keeping.make(engine.tenant, Wanted("runs", 0, task_type="another"), user=boss)
    other = make_tenant("other")
    grant(other, boss, "manage_tenant")
    keeping.make(other, Wanted("runs", 0), user=boss)
    held(engine)
    assert keeping.watch() == 0


def test_the_same_rule_again_is_the_one_there_is(engine: Bench, boss: User) -> None:
    first = keeping.make(engine.tenant, Wanted("runs", 2), user=boss)
    assert keeping.make(engine.tenant, Wanted("runs", 2), user=boss) == first
    assert AuditRow.objects.filter(verb="make_alert_rule").count() == 1
    with pytest.raises(IntegrityError, match="one_alert_of_the_same"), transaction.atomic():
        AlertRule.objects.create(tenant=engine.tenant, measure="runs", over=2, made_by=boss)


def test_an_ended_rule_tells_nobody_and_its_alarms_are_over(engine: Bench, boss: User) -> None:
    rule = keeping.make(engine.tenant, Wanted("runs", 0), user=boss)
    held(engine)
    keeping.watch()
    assert [keeping.end(rule, user=boss), keeping.end(rule, user=boss)] == [True, False]
    assert Alarm.objects.get().over_at is not None
    assert keeping.watch() == 0
    assert AuditRow.objects.filter(verb="end_alert_rule").count() == 1


def test_who_does_not_manage_the_tenant_changes_no_rule(engine: Bench, boss: User) -> None:
    rule = keeping.make(engine.tenant, Wanted("runs", 0), user=boss)
    with pytest.raises(Denied):
        keeping.make(engine.tenant, Wanted("runs", 1), user=engine.starter)
    with pytest.raises(Denied):
        keeping.end(rule, user=engine.starter)


NOW = timezone.now()


@pytest.mark.parametrize(
    ("measure", "value"),
    [("runs", 7), ("unknown", 5), ("amount", 900), ("recipients", 4), ("minutes", 61)],
)
def test_each_measure_reads_its_own_figure(measure: str, value: int) -> None:
    tally = Tally(runs=7, undecided=2, unknown=3, recipients=4)
    tally.money.update({"EUR": 500, "JPY": -900})
    tally.waits_since = NOW - timedelta(minutes=61, seconds=30)
    assert judging.value(tally, measure, NOW) == value
    standing = Standing(Problem(kind="outcome_unknown", task_type="x"), all=tally)
    at, under = Wanted(measure, value), Wanted(measure, value - 1)
    assert judging.going_off(at, standing, NOW) is None
    assert judging.going_off(under, standing, NOW) == value


def test_the_page_makes_and_ends_a_rule(engine: Bench, boss: User) -> None:
    client = Client()
    client.force_login(boss)
    where = reverse("alerts", args=[engine.tenant.slug])
    client.post(where, {"measure": "minutes", "over": "30", "kind": "outcome_unknown"})
    rule = AlertRule.objects.get()
    assert (rule.measure, rule.over, rule.kind, rule.made_by) == (
        "minutes",
        30,
        "outcome_unknown",
        boss,
    )
    assert "minutes since a person was needed" in client.get(where).content.decode()
    wrong = client.post(where, {"measure": "minutes", "over": "-1"})
    assert wrong.status_code == 422
    client.post(reverse("end_alert", args=[engine.tenant.slug, rule.pk]))
    rule.refresh_from_db()
    assert rule.ended_by == boss


def test_what_somebody_put_off_alarms_nobody(engine: Bench, boss: User) -> None:
    keeping.make(engine.tenant, Wanted("runs", 0), user=boss)
    held(engine)
    sorting.sort()
    until = timezone.now() + timedelta(hours=1)
    problem = Problem.objects.get(tenant=engine.tenant)
    changing.snooze(problem, Snooze(until=until), reason="later", user=engine.starter)
    assert (keeping.watch(), alerts()) == (0, [])


def test_there_are_so_many_rules_and_no_more(
    engine: Bench, boss: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeping, "MOST_RULES", 2)
    for over in (1, 2, 2):
        keeping.make(engine.tenant, Wanted("runs", over), user=boss)
    with pytest.raises(IllegalMoveError, match="2 rules already"):
        keeping.make(engine.tenant, Wanted("runs", 3), user=boss)
    assert AlertRule.objects.count() == 2


def test_rules_and_alarms_of_another_tenant_are_not_there(engine: Bench, boss: User) -> None:
    rule = keeping.make(engine.tenant, Wanted("runs", 0), user=boss)
    held(engine)
    sorting.sort()
    keeping.watch()
    other = make_tenant("other")
    grant(other, boss, "view_runs", "manage_tenant")
    client = Client()
    client.force_login(boss)
    own = client.get(reverse("alerts", args=[engine.tenant.slug])).content.decode()
    assert "The world changed · steps" in own
    page = client.get(reverse("alerts", args=[other.slug]))
    assert (page.context["rules"], page.context["alarms"]) == ([], [])
    assert client.post(reverse("end_alert", args=[other.slug, rule.pk])).status_code == 404
    assert AlertRule.objects.filter(ended_at=None).exists()
