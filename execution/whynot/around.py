"""The questions about what is around a run: workers and their code, stops, doors, credentials, sweeper."""

from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _
from redis import RedisError

from checkpoints import stops, wakeups
from checkpoints.models import Run, Stop
from checkpoints.registry import agents
from checkpoints.scopes import Lock
from execution import announcing
from execution.models import Process
from execution.pages import machine
from execution.pages.places import place
from execution.whynot.answers import Answer, against
from reconciliation import ledger
from reconciliation.credentials.models import INVALID, Credential
from reconciliation.doors import reading as doors
from tenants import clock

MOST = 200


def worker(run: Run) -> Answer:
    """Whether a worker is alive that has the code of its combo."""
    alive = [each.process for each in machine.processes() if not each.silent]
    workers = [each for each in alive if each.kind == "worker"]
    able = [each for each in workers if announcing.has_code(each, run.combo)]
    if able:
        told = {"n": len(able), "all": len(workers)}
        said = _("%(n)d of %(all)d live workers have the code of its combo.") % told
        return Answer(ok=True, said=said, at=max(each.seen_at for each in able))
    if not workers:
        said = _("No worker is alive.")
        return against(said, _last("worker"), _("Start one: manage.py work"))
    seen = announcing.last_seen(run.combo)
    needs: dict[str, Any] = {
        "n": len(workers),
        "code": announcing.code_of(run.combo)[:12],
        "combo": run.combo,
    }
    said = _("No worker runs code %(code)s, which its combo %(combo)s needs; %(n)d run other code.")
    then = _("Start a worker of the version that this run began with.")
    return against(said % needs, seen, then)


def stop(run: Run) -> Answer:
    """Whether a stop of effects holds it; one of new runs holds nothing that has started."""
    standing = next((each for each in _stops(run, "effects") if _holds(each, run)), None)
    if standing is None:
        new = next((each for each in _stops(run, "new_runs") if _holds(each, run)), None)
        if new is not None:
            said = _("Only new runs are stopped, and this one has started.")
            return Answer(ok=True, said=said, at=new.stopped_at)
        return Answer(ok=True, said=_("Nothing is stopped here."), at=clock.now())
    told = {"who": standing.stopped_by, "why": standing.why}
    said = _("Effects are stopped by %(who)s: %(why)s") % told
    url = place("stop", run.tenant)
    return against(said, standing.stopped_at, _("See the stop"), url)


def door(run: Run) -> Answer:
    """Whether the door of a tool that it is about to use is closed."""
    shut = {each.tool: each for each in doors.closed(run.tenant)}
    action = ledger.open_action(run.pk)
    hit = next((shut[tool] for tool in _tools(run) if tool in shut), None)
    if hit is None or (action is not None and not hit.keeps_out(action)):
        return Answer(ok=True, said=_("No door of its tools is closed."), at=clock.now())
    return against(doors.sentence(hit), hit.closed_at, "", place("system", run.tenant))


def credential(run: Run) -> Answer:
    """Whether what is known of the credentials of its tools says that they work."""
    tools = _tools(run)
    known = list(Credential.objects.filter(tenant=run.tenant_id, tool__in=tools)[:MOST])
    now = clock.now()
    for each in known:
        over = each.expires_at is not None and each.expires_at <= now
        if over or each.result == INVALID:
            why = _("it expired") if over else each.said
            told = {"tool": each.tool, "who": each.acting_identity, "why": why}
            said = _("%(tool)s acts as %(who)s, and that does not work: %(why)s") % told
            at = each.expires_at if over else each.checked_at
            url = place("reconciliation:credentials", run.tenant)
            return against(said, at, _("See the credentials"), url)
    if not known:
        return Answer(ok=True, said=_("Nothing is noted of credentials of its tools."), at=now)
    checked = [each.checked_at for each in known if each.checked_at is not None]
    said = _("What was noted of the credentials of its tools is valid.")
    return Answer(ok=True, said=said, at=min(checked, default=None))


def machinery(run: Run) -> Answer:
    """Whether the sweeper is alive and the queue can be reached; PostgreSQL has just answered."""
    sweepers = [each for each in machine.processes() if each.process.kind == "sweeper"]
    alive = [each.process.seen_at for each in sweepers if not each.silent]
    if not alive:
        said = _("No sweeper is alive: nobody rings again, and no lease of the dead is given away.")
        return against(said, _last("sweeper"), _("Start one: manage.py sweep"))
    try:
        with wakeups.connection() as client:
            client.ping()
    except (RedisError, OSError) as error:
        said = _("The queue cannot be reached (%(error)s); no worker is told of work.") % {
            "error": type(error).__name__
        }
        return against(said, clock.now(), _("Start Valkey"), place("system", run.tenant))
    return Answer(
        ok=True, said=_("The sweeper is alive; PostgreSQL and the queue answer."), at=max(alive)
    )


def _last(kind: str) -> datetime | None:
    newest = Process.objects.filter(kind=kind).order_by("-seen_at")
    return newest.values_list("seen_at", flat=True).first()


def _stops(run: Run, lock: Lock) -> list[Stop]:
    return list(stops.in_force(run.tenant_id, lock).order_by("stopped_at")[:MOST])


def _holds(standing: Stop, run: Run) -> bool:
    if standing.combo_id is not None:
        return standing.combo_id == run.combo_id
    if standing.task_type:
        return standing.task_type == run.task_type
    return not standing.tool or standing.tool in _tools(run)


def _tools(run: Run) -> list[str]:
    """The tool it is at, else all that its task may use."""
    action = ledger.open_action(run.pk)
    if action is not None:
        return [action.tool]
    graph = agents().GRAPHS.get(run.task_type)
    return list(graph.manifest.tools) if graph else []
