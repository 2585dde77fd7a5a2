"""The effects of the ledger that a report can speak of, read in bounded pieces."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, TypeVar
from uuid import UUID

from django.db.models import Q, QuerySet

from reconciliation.models import Action, Attempt
from reconciliation.reports.columns import Line
from reconciliation.reports.errors import ReportRefusedError
from reconciliation.reports.matching import Effect, Period
from tenants.models import Tenant

T = TypeVar("T")

MOST_EFFECTS: Final = 20_000
AT_ONCE: Final = 1_000


def named_or_sent(tenant: Tenant, tool: str, lines: Sequence[Line], period: Period) -> list[Effect]:
    """What the lines name, and what was sent in the period. Raises `ReportRefusedError`."""
    ids = {*_named(tenant, tool, lines), *_sent(tenant, tool, period)}
    return [effect for some in _pieces(sorted(ids)) for effect in _effects(tenant, some)]


def _of(tenant: Tenant, tool: str) -> QuerySet[Action]:
    return Action.objects.filter(tenant=tenant, tool=tool, mode="live")


def _named(tenant: Tenant, tool: str, lines: Sequence[Line]) -> Iterator[UUID]:
    ids = sorted({id_ for line in lines for id_ in line.ids})
    keys = sorted({key for line in lines for key in line.keys})
    for some in _pieces(ids):
        named = Q(pk__in=some) | Q(pk__in=Attempt.objects.filter(pk__in=some).values("action_id"))
        yield from _of(tenant, tool).filter(named).values_list("pk", flat=True)
    for few in _pieces(keys):
        yield from _of(tenant, tool).filter(key__in=few).values_list("pk", flat=True)


def _sent(tenant: Tenant, tool: str, period: Period) -> list[UUID]:
    sent = Attempt.objects.filter(
        action__in=_of(tenant, tool), dispatched_at__range=(period.since, period.until)
    )
    ids = list(sent.values_list("action_id", flat=True).distinct()[: MOST_EFFECTS + 1])
    if len(ids) > MOST_EFFECTS:
        raise ReportRefusedError(
            f"More than {MOST_EFFECTS:,} effects were sent in this period. Give a shorter one, "
            "with the report of just that time."
        )
    return ids


def _effects(tenant: Tenant, ids: Sequence[UUID]) -> Iterator[Effect]:
    tried: defaultdict[UUID, list[tuple[UUID, datetime, datetime]]] = defaultdict(list)
    of_attempt = ("pk", "action_id", "dispatched_at", "deadline_at", "margin_seconds")
    for pk, action_id, sent_at, deadline_at, margin in Attempt.objects.filter(
        action_id__in=ids
    ).values_list(*of_attempt):
        tried[action_id].append((pk, sent_at, deadline_at + timedelta(seconds=margin)))
    columns = ("pk", "run_id", "key", "outcome", "magnitude")
    for pk, run_id, key, outcome, magnitude in Action.objects.filter(
        tenant=tenant, pk__in=ids
    ).values_list(*columns):
        attempts = tried[pk]
        amount, currency = _money(magnitude)
        yield Effect(
            id=pk,
            run_id=run_id,
            key=bytes(key),
            names=frozenset((pk, *(each[0] for each in attempts))),
            outcome=outcome,
            amount=amount,
            currency=currency,
            sent_at=min((each[1] for each in attempts), default=None),
            over_at=max((each[2] for each in attempts), default=None),
        )


def _money(magnitude: Any) -> tuple[int | None, str]:
    """What it says of money in the clear; what is hidden is not compared."""
    amount = magnitude.get("amount")
    if not isinstance(amount, int) or isinstance(amount, bool):
        return None, ""
    return amount, str(magnitude.get("currency", ""))


def _pieces(every: Sequence[T]) -> Iterator[Sequence[T]]:
    for start in range(0, len(every), AT_ONCE):
        yield every[start : start + AT_ONCE]
