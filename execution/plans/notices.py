"""Who is told that a plan is finished: who planned it and who started it."""

from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext as _

from execution.plans.models import Plan
from tenants.keys import hiding
from tenants.notifications import outbox
from tenants.notifications.outbox import Matter

KIND = "plan_finished"


def finished(plan: Plan) -> None:
    """In the transaction that finished it."""
    if not settings.KEDGE_NOTIFICATIONS:
        return
    text = _(
        "Plan %(plan)s at %(tenant)s is finished: %(done)d done, %(unproven)d not yet proven,"
        " %(skipped)d skipped, %(failed)d failed."
    )
    numbers = {name: getattr(plan, name) for name in ("done", "unproven", "skipped", "failed")}
    said = hiding.text(text % {"plan": str(plan), "tenant": plan.tenant.name, **numbers})
    people = {person.pk: person for person in (plan.drafted_by, plan.started_by) if person}
    path = reverse("plan", args=[plan.tenant.slug, plan.number])
    outbox.put(plan.tenant, people.values(), Matter(KIND, f"plan:{plan.pk}", path, said))
