"""Rules made and ended by people, and alarms that go off and are over: told once each."""

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db import transaction
from django.db.models.functions import Now
from django.urls import reverse
from django.utils.translation import gettext as _

from canonical.redaction import Redacted, ours
from checkpoints import notices
from checkpoints.errors import IllegalMoveError
from execution.alerts import judging
from execution.alerts.models import Alarm, AlertRule
from execution.problems import reading
from execution.problems.standing import Standing
from tenants import access, audit, clock
from tenants.actors import Actor
from tenants.errors import Denied
from tenants.keys import hiding
from tenants.models import Tenant, User
from tenants.notifications import outbox
from tenants.notifications.outbox import Matter

RIGHT: Final = "manage_tenant"
MOST_RULES: Final = 50


@dataclass(frozen=True)
class Wanted:
    """What a rule says; see `AlertRule`."""

    measure: str
    over: int
    kind: str = ""
    task_type: str = ""


def make(tenant: Tenant, wanted: Wanted, *, user: User) -> AlertRule:
    """Make a rule; the same one again is the one there is.

    Raises `Denied`, and `IllegalMoveError` beyond what is looked at every time.
    """
    _refuse_without_right(tenant, user)
    told = vars(wanted)
    with transaction.atomic():
        live = AlertRule.objects.filter(tenant=tenant, ended_at=None)
        if live.count() >= MOST_RULES and not live.filter(**told).exists():
            raise IllegalMoveError(f"there are {MOST_RULES} rules already; end one first")
        rule, created = AlertRule.objects.get_or_create(
            tenant=tenant, ended_at=None, **told, defaults={"made_by": user}
        )
        if created:
            _audit(rule, ours("make_alert_rule"), user)
    return rule


def end(rule: AlertRule, *, user: User) -> bool:
    """End a rule and what it told of; False when it had ended. Raises `Denied`."""
    _refuse_without_right(rule.tenant, user)
    with transaction.atomic():
        live = AlertRule.objects.filter(pk=rule.pk, ended_at=None)
        if live.update(ended_at=Now(), ended_by=user) != 1:
            return False
        rule.alarms.filter(over_at=None).update(over_at=Now())
        _audit(rule, ours("end_alert_rule"), user)
    return True


def watch() -> int:
    """Judge every live rule against the problems of its tenant; returns how many went off."""
    by_tenant: defaultdict[Tenant, list[AlertRule]] = defaultdict(list)
    for rule in AlertRule.objects.filter(ended_at=None).select_related("tenant").order_by("pk"):
        by_tenant[rule.tenant].append(rule)
    return sum(_watch(tenant, rules) for tenant, rules in by_tenant.items())


def _watch(tenant: Tenant, rules: list[AlertRule]) -> int:
    standings, now = reading.standings(tenant), clock.now()
    known: defaultdict[int, set[str]] = defaultdict(set)
    going = Alarm.objects.filter(rule__in=rules, over_at=None)
    for rule_id, fingerprint in going.values_list("rule_id", "fingerprint"):
        known[rule_id].add(fingerprint)
    return sum(_judge(rule, known[rule.pk], standings, now) for rule in rules)


def _judge(rule: AlertRule, known: set[str], standings: list[Standing], now: datetime) -> int:
    found = {
        each.problem.fingerprint: (each, value)
        for each in standings
        if (value := judging.going_off(rule, each, now)) is not None
    }
    over = known - set(found)
    if over:
        rule.alarms.filter(over_at=None, fingerprint__in=over).update(over_at=Now())
    return sum(_go_off(rule, *found[name]) for name in found if name not in known)


def _go_off(rule: AlertRule, standing: Standing, value: int) -> int:
    """Note it and tell the owners of the task type, in one transaction; once, whoever else looks."""
    with transaction.atomic():
        # Its end and a second sweeper wait here, and find the alarm or make none.
        if not AlertRule.objects.select_for_update().filter(pk=rule.pk, ended_at=None).exists():
            return 0
        alarm, went_off = rule.alarms.get_or_create(
            fingerprint=standing.problem.fingerprint, over_at=None, defaults={"value": value}
        )
        if not went_off:
            return 0
        people = notices.owners(rule.tenant, standing.problem.task_type)
        outbox.put(rule.tenant, people, _matter(rule, alarm, standing))
    return 1


def _matter(rule: AlertRule, alarm: Alarm, standing: Standing) -> Matter:
    # Names the task type and the tenant and nothing of any run.
    said = _(
        "A problem of “%(task)s” at %(tenant)s: %(measure)s %(value)d, more than %(over)d."
    ) % {
        "task": standing.problem.task_type,
        "tenant": rule.tenant.name,
        "measure": rule.measure,
        "value": alarm.value,
        "over": rule.over,
    }
    path = reverse("problem", args=[rule.tenant.slug, alarm.fingerprint])
    return Matter("alert", f"alert:{alarm.pk}", path, hiding.text(said))


def _refuse_without_right(tenant: Tenant, user: User) -> None:
    if user.pk not in access.who_may(tenant.pk, RIGHT, [user.pk]):
        raise Denied(tenant.pk, RIGHT)


def _audit(rule: AlertRule, verb: Redacted, user: User) -> None:
    audit.record(
        rule.tenant,
        Actor.person(user),
        verb,
        ours("alert rule %(n)s", n=rule.pk),
        measure=hiding.text(rule.measure),
        over=rule.over,
        kind=hiding.text(rule.kind),
        task_type=hiding.text(rule.task_type),
    )
