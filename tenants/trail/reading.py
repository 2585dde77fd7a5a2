"""What the audit page reads: which rows, newest first, page by page; every read is bounded."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from django.db import OperationalError, connection
from django.db.models import Q, QuerySet

from tenants.models import AuditHead, AuditRow, AuditSeal, Tenant, User

ROWS: Final = 50
MOST_PEOPLE: Final = 50
MOST_VERBS: Final = 200
BATCH: Final = 2000

# What stands before an id in a subject: `request:<id>`, `run <id>`.
KINDS: Final = ("run", "action", "request", "case", "person", "group", "tenant")


@dataclass(frozen=True)
class Place:
    """Where a page ends: the time and number of its last row."""

    at: datetime
    audit_id: int


@dataclass(frozen=True)
class Wanted:
    """Which rows somebody wants to see. Empty fields narrow nothing; `until` is not included."""

    who: str = ""
    verb: str = ""
    subject: str = ""
    since: datetime | None = None
    until: datetime | None = None
    before: Place | None = None

    @property
    def narrows(self) -> bool:
        """Whether any row of the tenant may be hidden by it."""
        return any((self.who, self.verb, self.subject, self.since, self.until))


@dataclass(frozen=True)
class Found:
    """One page of rows, newest first; `failed` when the database did not answer in time."""

    rows: list[AuditRow]
    older: Place | None = None
    failed: bool = False


@dataclass(frozen=True)
class Standing:
    """How far a tenant's chain is proven: its last position, and the last signed head."""

    linked: int
    head: AuditHead | None


def page(tenant: Tenant, wanted: Wanted, *, limit: int = ROWS) -> Found:
    """Rows of a tenant with their places in the chain. Each filter has an index of its own."""
    query = _filtered(tenant, wanted).select_related("auditseal")
    try:
        rows = list(query.order_by("-at", "-audit_id")[: limit + 1])
    except OperationalError:
        return Found([], failed=True)
    if len(rows) <= limit:
        return Found(rows)
    last = rows[limit - 1]
    return Found(rows[:limit], Place(last.at, last.audit_id))


def every(tenant: Tenant, wanted: Wanted) -> Iterator[AuditRow]:
    """All rows that match, read in bounded pieces."""
    while True:
        found = page(tenant, wanted, limit=BATCH)
        if found.failed:
            raise OperationalError("the audit trail could not be read in time")
        yield from found.rows
        if found.older is None:
            return
        wanted = replace(wanted, before=found.older)


def standing(tenant: Tenant) -> Standing:
    """The end of the chain and of its signed part."""
    last = AuditSeal.objects.filter(tenant=tenant).order_by("-position").first()
    head = AuditHead.objects.filter(tenant=tenant).order_by("-position").first()
    return Standing(last.position if last else 0, head)


# A jump from one verb to the next by audit_by_verb, never a look at every row.
VERBS = """
WITH RECURSIVE known AS (
    (SELECT verb FROM tenants_auditrow WHERE tenant_id = %(tenant)s ORDER BY verb LIMIT 1)
    UNION ALL
    SELECT (SELECT verb FROM tenants_auditrow
             WHERE tenant_id = %(tenant)s AND verb > known.verb ORDER BY verb LIMIT 1)
      FROM known WHERE known.verb IS NOT NULL
)
SELECT verb FROM known WHERE verb IS NOT NULL LIMIT %(most)s
"""


def verbs(tenant: Tenant) -> list[str]:
    """The verbs that stand in the tenant's trail."""
    with connection.cursor() as cursor:
        cursor.execute(VERBS, {"tenant": tenant.pk, "most": MOST_VERBS})
        return [row[0] for row in cursor.fetchall()]


def _filtered(tenant: Tenant, wanted: Wanted) -> QuerySet[AuditRow]:
    given: dict[str, Any] = {
        "verb": wanted.verb,
        "at__gte": wanted.since,
        "at__lt": wanted.until,
        "actor_id__in": _actors(wanted.who),
        "subject__in": _subjects(wanted.subject),
    }
    rows = AuditRow.objects.filter(tenant=tenant, **{k: v for k, v in given.items() if v})
    if wanted.before is not None:
        at, audit_id = wanted.before.at, wanted.before.audit_id
        # The first condition is the one that an index can begin at.
        rows = rows.filter(Q(at__lte=at), Q(at__lt=at) | Q(audit_id__lt=audit_id))
    return rows


def _actors(who: str) -> list[str]:
    """The ids that a name, an e-mail address, a machine's name or an address may stand for."""
    if not who:
        return []
    people = User.objects.filter(Q(email__iexact=who) | Q(name__iexact=who))
    ids = [str(pk) for pk in people.order_by("pk").values_list("pk", flat=True)[:MOST_PEOPLE]]
    return [who, *ids]


def _subjects(text: str) -> list[str]:
    """A subject in full, or an id that any kind of subject may have."""
    if not text:
        return []
    return [text, *(f"{kind}{sign}{text}" for kind in KINDS for sign in " :")]
