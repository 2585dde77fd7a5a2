"""Where a plan comes from: a selection, a filter, a problem, another plan; always exact runs.

A source reads the address of the page and says which runs are meant. What it finds is looked at
anew when the plan is drafted, so nothing that a person adds to the address gives them anything.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from checkpoints import states as record
from checkpoints.models import Case, Run
from checkpoints.pages import runlist
from checkpoints.pages.forms import FilterForm
from checkpoints.registry import agents
from execution.plans import states
from execution.plans.drafting import Target
from execution.plans.errors import EmptyPlanError, PlanRefusedError
from execution.plans.models import Plan
from execution.problems import overview, stuck
from execution.problems.models import Problem, ProblemRun
from reconciliation.models import Action
from reconciliation.overview import listing
from reconciliation.overview.filtering import FilterForm as FilterEffectsForm
from reconciliation.reports import reading as reports
from reconciliation.reports.matching import ABSENT, MATCHED
from reconciliation.reports.models import Report
from tenants.models import Tenant

MOST: Final = states.MOST_ITEMS + 1
EVERYTHING: Final = (
    *("try_again", "verdict", "look_up", "cancel"),
    *("rehearse", "release", "renewed", "ask_again"),
)
# Which kinds of plan help with which trouble, the most usual first.
HELPS: Final[Mapping[str, tuple[str, ...]]] = {
    record.OUTCOME_UNKNOWN: ("look_up", "verdict", "cancel"),
    record.UNMIGRATABLE: ("release", "rehearse", "try_again", "cancel"),
    record.CREDENTIAL_INVALID: ("renewed", "cancel"),
    record.EXPIRED: ("ask_again",),
}
USUALLY: Final = ("try_again", "cancel")
# And with what waits for too long, by what it waits for. Ending a run helps with all of it.
HELPS_STUCK: Final[Mapping[str, tuple[str, ...]]] = {
    record.FOR_RETRY: USUALLY,
    record.FOR_LOOK_UP: ("look_up", "cancel"),
    record.FOR_SETTLING: ("look_up", "cancel"),
}
ABOUT_EFFECTS: Final = (
    *("look_up", "verdict", "compensate", "follow_up"),
    *("ask_again", "cancel"),
)
REPORTED: Final = {MATCHED: ("reported",), ABSENT: ("verdict",)}


@dataclass(frozen=True)
class Chosen:
    """What was chosen: in our words, exactly which, and the kinds of plan that make sense."""

    about: str
    targets: Sequence[Target]
    kinds: Sequence[str]


Source = Callable[[Tenant, QueryDict], Chosen]


def chosen(tenant: Tenant, query: QueryDict) -> Chosen:
    """What the address means. Raises `EmptyPlanError`, `PlanRefusedError`, `ObjectDoesNotExist`."""
    source = SOURCES.get(query.get("from", ""))
    if source is None:
        raise EmptyPlanError
    found = source(tenant, query)
    if not found.targets:
        raise EmptyPlanError
    if len(found.targets) > states.MOST_ITEMS:
        raise PlanRefusedError(
            _("more than %(n)d runs match; choose fewer") % {"n": states.MOST_ITEMS}
        )
    return found


def from_runs(tenant: Tenant, query: QueryDict) -> Chosen:
    """Runs that were ticked."""
    ids = _uuids(query.getlist("id")[:MOST])
    mine = Run.objects.filter(tenant=tenant, pk__in=ids, mode=record.LIVE_MODE)
    found = list(mine.values_list("pk", "reason", "stop_reason"))
    if len(found) != len(set(ids)):
        raise Run.DoesNotExist
    said = ngettext("%(n)d chosen run", "%(n)d chosen runs", len(found)) % {"n": len(found)}
    reasons = {stopped or reason for _pk, reason, stopped in found}
    kinds = HELPS.get(reasons.pop(), EVERYTHING) if len(reasons) == 1 else EVERYTHING
    return Chosen(said, [Target(pk) for pk, *_why in found], kinds)


def from_filter(tenant: Tenant, query: QueryDict) -> Chosen:
    """Every run that is not over and matches the filter of the list of runs."""
    wanted = FilterForm(query).wanted()
    if not wanted.status and not wanted.looks_closely:
        raise EmptyPlanError
    ids = runlist.matching(tenant, wanted, most=MOST)
    said = ngettext("%(n)d run that matched a filter", "%(n)d runs that matched a filter", len(ids))
    return Chosen(said % {"n": len(ids)}, [Target(pk) for pk in ids], EVERYTHING)


def from_problem(tenant: Tenant, query: QueryDict) -> Chosen:
    """Every run that has a problem now and is not decided; of one combo, if that is named."""
    problem = overview.find(tenant, query.get("key", "")).problem
    named = query.get("combo", "")
    combo = int(named) if named.isdecimal() else None
    if problem.kind == stuck.STUCK:
        ids = stuck.run_ids(problem, combo_id=combo, most=MOST)
        kinds = HELPS_STUCK.get(problem.error, ("cancel",))
    else:
        ids, kinds = _undecided(problem, combo), HELPS.get(problem.kind, USUALLY)
    said = ngettext("%(n)d run of one problem", "%(n)d runs of one problem", len(ids))
    return Chosen(said % {"n": len(ids)}, [Target(pk) for pk in ids], kinds)


def _undecided(problem: Problem, combo: int | None) -> list[UUID]:
    found = ProblemRun.objects.filter(ProblemRun.OPEN, problem=problem, decided_at=None)
    if combo is not None:
        found = found.filter(combo_id=combo)
    return list(found.order_by("run_id").values_list("run_id", flat=True).distinct()[:MOST])


def from_cases(tenant: Tenant, query: QueryDict) -> Chosen:
    """Every run whose case of this kind waits for a verdict."""
    kind = query.get("kind_of_case", "")
    if kind not in record.CASE_KINDS:
        raise EmptyPlanError
    waiting = Case.objects.filter(tenant=tenant, kind=kind, decided_at=None, closed_at=None)
    ids = list(waiting.order_by("run_id").values_list("run_id", flat=True)[:MOST])
    said = ngettext("%(n)d case of one kind", "%(n)d cases of one kind", len(ids))
    kinds = HELPS.get(kind, USUALLY)
    return Chosen(said % {"n": len(ids)}, [Target(pk) for pk in ids], kinds)


def from_credential(tenant: Tenant, query: QueryDict) -> Chosen:
    """Every run that is held because the credential of this tool does not work."""
    tool = query.get("tool", "")
    uses = [name for name, graph in agents().GRAPHS.items() if tool in graph.manifest.tools]
    held = Run.objects.filter(
        tenant=tenant,
        status=record.HELD,
        reason=record.CREDENTIAL_INVALID,
        task_type__in=uses,
    )
    ids = list(held.order_by("pk").values_list("pk", flat=True)[:MOST])
    said = ngettext("%(n)d run held for %(tool)s", "%(n)d runs held for %(tool)s", len(ids))
    kinds = HELPS[record.CREDENTIAL_INVALID]
    return Chosen(said % {"n": len(ids), "tool": tool}, [Target(pk) for pk in ids], kinds)


def from_plan(tenant: Tenant, query: QueryDict) -> Chosen:
    """What another plan made of it: those that passed a rehearsal, those that failed."""
    number, result = query.get("key", ""), query.get("result", "")
    if not number.isdecimal() or result not in states.ITEM_STATES:
        raise EmptyPlanError
    plan = Plan.objects.get(tenant=tenant, number=int(number))
    found = plan.items.filter(state=result).order_by("position")
    targets = [Target(*pair) for pair in found.values_list("run_id", "action_id")]
    said = ngettext("%(n)d run of plan %(plan)s", "%(n)d runs of plan %(plan)s", len(targets))
    kinds = ("release", "cancel") if plan.kind == "rehearse" else EVERYTHING
    return Chosen(said % {"n": len(targets), "plan": plan}, targets, kinds)


def from_actions(tenant: Tenant, query: QueryDict) -> Chosen:
    """Effects that were ticked on the page of all effects."""
    ids = set(_uuids(query.getlist("id")[:MOST]))
    found = list(
        Action.objects.filter(tenant=tenant, pk__in=ids).order_by("pk").values_list("run_id", "pk")
    )
    if len(found) != len(ids):
        raise Run.DoesNotExist
    said = ngettext("%(n)d chosen effect", "%(n)d chosen effects", len(found)) % {"n": len(found)}
    return Chosen(said, [Target(*pair) for pair in found], ABOUT_EFFECTS)


def from_effects(tenant: Tenant, query: QueryDict) -> Chosen:
    """Every effect that matches the filter of the page of all effects."""
    form = FilterEffectsForm(sorted(agents().TOOLS.by_name), query)
    # What is no answer to the filter would choose more than is meant.
    if not form.is_valid() or not form.wanted().chooses:
        raise EmptyPlanError
    found = listing.matching(tenant, form.wanted()).values_list("run_id", "pk")[:MOST]
    targets = [Target(*pair) for pair in found]
    n = len(targets)
    said = ngettext("%(n)d effect that matched a filter", "%(n)d effects that matched a filter", n)
    return Chosen(said % {"n": n}, targets, ABOUT_EFFECTS)


def from_report(tenant: Tenant, query: QueryDict) -> Chosen:
    """Effects of which nobody knew: those that a provider's report has exactly, or those it lacks."""
    [key] = _uuids([query.get("key", "")])
    report = reports.of_id(tenant, key)
    found = query.get("found", "")
    if found not in REPORTED:
        raise EmptyPlanError
    lines = reports.open_lines(report, found).order_by("pk")
    named = lines.values_list("action__run_id", "action_id", "number")[:MOST]
    targets = [
        Target(run_id, action_id, {"evidence": _evidence(report, number)})
        for run_id, action_id, number in named
    ]
    n = len(targets)
    said = ngettext("%(n)d effect by %(report)s", "%(n)d effects by %(report)s", n)
    return Chosen(said % {"n": n, "report": report}, targets, REPORTED[found])


def _evidence(report: Report, number: int) -> str:
    """Where it stands, so that anybody can look: the report, the line, and the file's digest."""
    where = f"line {number}" if number else "on no line"
    return f"report {report} of {report.tool}, {where}, SHA-256 {bytes(report.digest).hex()}"


def _uuids(given: Sequence[str]) -> list[UUID]:
    """Ids as they were posted; what is none is a run that is not there."""
    try:
        return [UUID(each) for each in given]
    except ValueError:
        raise Run.DoesNotExist from None


SOURCES: Final[dict[str, Source]] = {
    "runs": from_runs,
    "filter": from_filter,
    "problem": from_problem,
    "cases": from_cases,
    "credential": from_credential,
    "plan": from_plan,
    "actions": from_actions,
    "effects": from_effects,
    "report": from_report,
}
