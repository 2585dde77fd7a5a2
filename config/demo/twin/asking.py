"""Asks the twin for everything that Kedge sends, as plain RQ jobs with retries."""

from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from redis import Redis
from rq import Queue, Retry
from rq.job import Job
from rq.serializers import JSONSerializer

from agents.fleet_change.graph import TASK_TYPE as FLEET_CHANGE
from agents.remotes import remote_url
from agents.tools.git.tool import GitPush
from canonical import json as canonical
from config.demo import people
from config.demo.twin import asked, jobs
from config.demo.twin.asked import Asked
from config.demo.twin.remotes import twin_of
from reconciliation.models import Action, Attempt

QUEUE = "twin"
MOST_AT_ONCE = 50
# Intents become visible when they commit, a little after the time they carry.
LATE = timedelta(seconds=30)


def ask_for_new(redis: Redis, since: datetime | None) -> datetime | None:
    """Ask the twin for each effect that Kedge has sent and the twin was not asked for.

    Returns since when to look the next time. A job that was enqueued is not enqueued again.
    """
    of_demo = {"action__tenant__slug__in": list(people.TENANTS)}
    # It does the same work as a fleet change, and no other.
    sent = Attempt.objects.filter(number=1, action__run__task_type=FLEET_CHANGE, **of_demo)
    if since is not None:
        sent = sent.filter(dispatched_at__gt=since - LATE)
    sent = sent.select_related("action__run", "action__tenant").order_by("dispatched_at")
    for attempt in sent[:MOST_AT_ONCE]:
        if not asked.is_noted(str(attempt.action_id)):
            _ask(redis, attempt.action)
        since = attempt.dispatched_at
    return since


def _ask(redis: Redis, action: Action) -> None:
    job_id = f"twin-{action.id}"
    parameters = canonical.loads_object(action.parameters)
    is_push = action.tool == GitPush.name
    if not Job.exists(job_id, connection=redis):
        work = _push(action, parameters) if is_push else _mail(action, parameters)
        queue = Queue(QUEUE, connection=redis, serializer=JSONSerializer)
        queue.enqueue(*work, retry=Retry(max=2), job_id=job_id)
    asked.note(
        Asked(
            tenant=action.tenant.slug,
            business_key=action.run.business_key,
            kind=asked.PUSH if is_push else asked.MAIL,
            what=parameters["remote"] if is_push else parameters["to"],
            run=str(action.run_id),
            action=str(action.id),
        )
    )


def _push(action: Action, parameters: dict[str, Any]) -> tuple[Any, ...]:
    remote = remote_url(twin_of(action.tenant.slug), parameters["remote"])
    return jobs.push, remote, action.run.business_key, str(asked.plug_of(str(action.id)))


def _mail(action: Action, parameters: dict[str, Any]) -> tuple[Any, ...]:
    server = f"{settings.KEDGE_SMTP_HOST}:{settings.KEDGE_SMTP_PORT}"
    letter = {name: parameters[name] for name in ("to", "subject", "body")}
    return jobs.mail, server, letter, str(asked.plug_of(str(action.id)))
