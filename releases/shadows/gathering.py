"""Reads from the record how a twin and its live run went, for `comparing`. Bounded."""

from typing import Any, Final

from django.db.models import BigIntegerField, Min, Sum
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast

from approvals import judging
from approvals.errors import DamagedRequestError
from approvals.models import ApprovalRequest
from canonical import json as canonical
from checkpoints.models import Checkpoint, Event, Run, ShadowDryRun
from execution.costs import ASKED, TOKENS
from reconciliation import sensitive
from reconciliation.models import Action
from releases.shadows.comparing import Effect, Went
from tenants.keys import vaults

MOST_STEPS: Final = 2_000
MOST_EFFECTS: Final = 200
# What the engine commits beside the nodes of a graph has its name in brackets.
ENGINES: Final = "("


def went(run: Run) -> Went:
    """How a run went. Raises `KeysError` when what it proposed cannot be read any more."""
    headers = _headers(run)
    with vaults.bound(run.tenant_id):
        return Went(
            effects=_effects(run),
            path=[header["node"] for header in headers if not _is_engines(header)],
            saw=_saw(headers),
            tokens=_tokens(run),
            ms=_ms(run),
        )


def _headers(run: Run) -> list[dict[str, Any]]:
    steps = Checkpoint.objects.filter(run=run).order_by("seq")
    return [
        canonical.loads_object(bytes(header))
        for header in steps.values_list("header", flat=True)[:MOST_STEPS]
    ]


def _is_engines(header: dict[str, Any]) -> bool:
    return str(header["node"]).startswith(ENGINES)


def _saw(headers: list[dict[str, Any]]) -> dict[str, str]:
    """What was read first of each source: before anything of its own could have changed it."""
    found: dict[str, str] = {}
    for header in headers:
        for source, (version, _node) in header.get("saw", {}).items():
            found.setdefault(source, version)
    return found


def _effects(run: Run) -> list[Effect]:
    actions = Action.objects.filter(run=run).select_related("tenant").order_by("proposed_seq")
    newest = {(each.node, each.ordinal): each for each in actions[:MOST_EFFECTS]}
    found = list(newest.values())
    dry = _dry_runs(run, found)
    return [
        Effect(
            node=each.node,
            ordinal=each.ordinal,
            tool=each.tool,
            parameters=canonical.loads(sensitive.parameters(each)),
            action_id=str(each.pk),
            **dry.get(str(each.pk), {}),
        )
        for each in found
    ]


def _dry_runs(run: Run, actions: list[Action]) -> dict[str, dict[str, Any]]:
    ids = [each.pk for each in actions]
    if ShadowDryRun.objects.filter(run=run).exists():
        return {
            str(each.action_id): {
                "diff": each.diff_digest,
                "looked_at": each.resources,
                "reversibility": each.reversibility,
            }
            for each in ShadowDryRun.objects.filter(run=run, action_id__in=ids)
        }
    # The first question: the dry run that was made as the twin made its own.
    first = ApprovalRequest.objects.filter(run=run, action_id__in=ids, revision=1)
    return {str(each.action_id): _of_question(each) for each in first}


def _of_question(asked: ApprovalRequest) -> dict[str, Any]:
    try:
        bound = judging.bound_of(asked)
    except DamagedRequestError:
        return {}
    return {
        "diff": bound.diff_digest,
        "looked_at": dict(bound.resources),
        "reversibility": str(asked.requirement.get("reversibility", "")),
    }


def _tokens(run: Run) -> int | None:
    amount = Cast(KeyTextTransform(TOKENS, "detail"), BigIntegerField())
    asked = Event.objects.filter(run_id=run.pk, what=ASKED)
    total = asked.aggregate(total=Sum(amount))["total"]
    return None if total is None else int(total)


def _ms(run: Run) -> int | None:
    """From the start to the first proposal, or to the end where there is none: people's time apart."""
    first = Action.objects.filter(run=run).aggregate(at=Min("proposed_at"))["at"]
    until = first or run.finished_at
    return None if until is None else round((until - run.created_at).total_seconds() * 1000)
