"""What pages read about permission: bounded, without the heavy bytes unless they are shown."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Final
from uuid import UUID

from django.db.models import Count, DurationField, ExpressionWrapper, F, Q, QuerySet

from approvals import clock, states
from approvals.models import ApprovalRequest, Decision, HandOver
from approvals.people.standings import Standing, standing_of
from approvals.rules import Requirement
from tenants.models import User

HEAVY: Final = ("bound", "diff", "parameters")
MOST_PEOPLE: Final = 50
MOST_OF_RUN: Final = 50
# What is approved is sent within seconds; after this something holds it, and people should look.
LATE_AFTER: Final = timedelta(minutes=5)
# What ran out needs nobody any more, whether or not the sweeper came by.
STILL_ASKED: Final = Q(state=states.OPEN, expires_at__gt=clock.ClockTimestamp())


@dataclass(frozen=True)
class Unsent:
    """An approval that no effect has used: how long it has waited, by the database's clock."""

    asked: ApprovalRequest
    waits: timedelta

    @property
    def is_late(self) -> bool:
        """True if something must be holding it."""
        return self.waits >= LATE_AFTER


@dataclass(frozen=True)
class Detail:
    """One request as its page shows it: the question, the answers oldest first, where it stands."""

    request: ApprovalRequest
    decisions: list[Decision]
    people: Standing

    @property
    def requirement(self) -> Requirement:
        """What the rules demanded when it was asked."""
        return self.people.requirement

    @property
    def still_can(self) -> list[User]:
        """The people whose yes would bring it nearer: at most `MOST_PEOPLE` of `can_help_count`."""
        return list(self.people.can_help)


def inbox(
    tenant_ids: Iterable[int],
    *,
    limit: int = 50,
    after: UUID | None = None,
    handed_to: User | None = None,
) -> list[ApprovalRequest]:
    """Open requests of these tenants, longest waiting first; `after` is the last id of a page.

    Only those that somebody asked `handed_to` to decide, when given. Each has `yes`, the number of
    people who approved it so far.
    """
    found = light().filter(STILL_ASKED, tenant_id__in=list(tenant_ids))
    if handed_to is not None:
        found = found.filter(pk__in=_handed_to(handed_to))
    if after is not None:
        found = found.filter(id__gt=after)
    given = Q(decisions__verdict=states.APPROVE, decisions__taken_back__isnull=True)
    return list(found.annotate(yes=Count("decisions", filter=given)).order_by("id")[:limit])


def open_counts(tenant_ids: Iterable[int]) -> dict[int, int]:
    """How many requests are open per tenant; a tenant without any is not in it."""
    found = ApprovalRequest.objects.filter(STILL_ASKED, tenant_id__in=list(tenant_ids))
    return dict(found.values_list("tenant_id").annotate(Count("id")).order_by())


def handed_count(tenant_id: int, user: User) -> int:
    """How many open requests of a tenant somebody asked this person to decide."""
    found = ApprovalRequest.objects.filter(STILL_ASKED, tenant_id=tenant_id)
    return found.filter(pk__in=_handed_to(user)).count()


def unsent(tenant_id: int, *, limit: int = 50) -> list[Unsent]:
    """Approved requests whose effect is not sent yet, the longest waiting first."""
    waits = ExpressionWrapper(
        clock.ClockTimestamp() - F("approval__granted_at"), output_field=DurationField()
    )
    found = light().filter(tenant_id=tenant_id, state=states.APPROVED).annotate(waits=waits)
    return [Unsent(each, each.waits) for each in found.order_by("approval__granted_at")[:limit]]


def unused_count(tenant_id: int) -> int:
    """How many approvals are given and not yet used: what a stop must still hold back."""
    return ApprovalRequest.objects.filter(tenant_id=tenant_id, state=states.APPROVED).count()


def of_run(run_id: UUID, *, limit: int = 50) -> list[ApprovalRequest]:
    """The requests of a run, newest first."""
    return list(light().filter(run_id=run_id).order_by("-id")[:limit])


def of_action(action_id: UUID, *, limit: int = 50) -> list[ApprovalRequest]:
    """The requests about an action, newest first."""
    return list(light().filter(action_id=action_id).order_by("-revision")[:limit])


def answered_by(user: User, request_ids: Iterable[UUID]) -> set[UUID]:
    """Which of these requests the person has answered, whether or not they took it back."""
    given = Decision.objects.filter(user=user, request_id__in=list(request_ids))
    return set(given.values_list("request_id", flat=True))


def detail(request_id: UUID, *, tenant_id: int, light: bool = False) -> Detail:
    """One request with all that was shown. Raises `ApprovalRequest.DoesNotExist`.

    A request of another tenant does not exist either. `light`: without what was shown, for polls.
    """
    found = ApprovalRequest.objects.select_related("run", "tenant", "starter").defer("run__input")
    found = found.defer(*HEAVY, "run__input") if light else found
    request = found.get(pk=request_id, tenant_id=tenant_id)
    decisions = list(
        Decision.objects.filter(request=request)
        .select_related("user", "taken_back")
        .order_by("at")[:MOST_PEOPLE]
    )
    return Detail(request=request, decisions=decisions, people=standing_of(request))


def newer_id(request: ApprovalRequest) -> UUID | None:
    """The newest request of the same action, None when this is it."""
    newest: UUID = (
        ApprovalRequest.objects.filter(action_id=request.action_id)
        .order_by("-revision")
        .values_list("pk", flat=True)[0]
    )
    return None if newest == request.pk else newest


def light() -> QuerySet[ApprovalRequest]:
    """Requests with their run and tenant, without the bytes; whoever reads them sets the bound."""
    return ApprovalRequest.objects.select_related("run", "tenant").defer(*HEAVY, "run__input")


def _handed_to(user: User) -> QuerySet[HandOver, UUID]:
    standing = HandOver.objects.filter(given_to=user, taken_back_at=None)
    return standing.values_list("request_id", flat=True)
