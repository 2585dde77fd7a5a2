"""Compares what checkpoints say of actions with what the ledger has: a swapped receipt is damage."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.db.models import Q

from canonical import digests
from canonical import json as canonical
from checkpoints.headers import written
from checkpoints.models import Checkpoint, Reuse, Run
from reconciliation.models import Action


def damage(run: Run) -> list[str]:
    """One sentence for every action that is not what a checkpoint of this run says it was."""
    actions = {
        str(action.id): action
        for action in Action.objects.filter(_of(run)).prefetch_related("receipts")
    }
    return [
        f"checkpoint {seq}: {said}"
        for seq, mark in _marks(run)
        if (said := _wrong(mark, actions.get(str(mark.get("id")))))
    ]


def _of(run: Run) -> Q:
    """Its own actions, and those of its lineage that it took over."""
    taken_over = Reuse.objects.filter(run_id=run.id).values("action_id")
    return Q(run_id=run.id) | Q(pk__in=taken_over, tenant_id=run.tenant_id)


def _marks(run: Run) -> Iterator[tuple[int, Mapping[str, Any]]]:
    rows = Checkpoint.objects.filter(run_id=run.id).order_by("seq")
    for seq, content in rows.values_list("seq", "header").iterator():
        try:
            header = canonical.loads_object(content)
        except canonical.CanonicalError:
            continue  # the record's own verification says so
        for mark in header.get("actions", []):
            yield seq, mark


def _wrong(mark: Mapping[str, Any], action: Action | None) -> str:
    if action is None:
        return f"action {mark.get('id')} is not in the ledger"
    if written(digests.sha256_hex(bytes(action.parameters))) != mark.get("parameters"):
        return f"action {action.id} has other parameters than were proposed"
    named = mark.get("receipt")
    kept = {written(digests.sha256_hex(bytes(each.content))) for each in action.receipts.all()}
    if named is not None and named not in kept:
        return f"action {action.id} has lost the receipt that was absorbed"
    return ""
