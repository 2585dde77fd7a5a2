"""The audit trail as it is written: one row per decision or intent, refused attempts counted."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, Final

from django.db import connection, transaction
from django.db.models.functions import Now
from psycopg.types.json import Jsonb

from canonical.json import normal
from canonical.redaction import Fact, Redacted, Said, ours
from tenants.actors import Actor
from tenants.database import execute
from tenants.keys import hiding
from tenants.models import AuditRow, RefusalCount, Tenant

WINDOW: Final = timedelta(minutes=10)
OWN_ROWS: Final = 5  # refusals of one actor and verb that get a row of their own, per window
STRANGERS_ROWS: Final = 200  # the same of all strangers together: addresses cost nothing
ALL_STRANGERS: Final = ""


# Prepared: every intent and every outcome writes one, inside the transaction of an effect. Such a
# statement may write it itself, of a row of its own: RIDE and " FROM …", with the values of `told_of`.
RIDE: Final = """
INSERT INTO tenants_auditrow
    (tenant_id, actor_kind, actor_id, actor_name, verb, subject, detail)
SELECT %(audit_tenant_id)s, %(audit_actor_kind)s, %(audit_actor_id)s, %(audit_actor_name)s,
       %(audit_verb)s, %(audit_subject)s, %(audit_detail)s
"""
RECORD: Final = f"{RIDE} RETURNING audit_id, at"


def record(
    tenant: Tenant | None,
    actor: Actor,
    verb: Said,
    subject: Redacted,
    /,
    **detail: Fact,
) -> AuditRow:
    """Write one row in the caller's transaction: no row, no effect.

    `tenant` None is the installation. `verb` is a command in base form ("approve"), `subject` what
    it was done to ("action:<id>"). `detail` must be canonical JSON, else CanonicalError; it may have
    members of these names too.
    """
    values = _values(tenant.pk if tenant else None, actor, str(verb), subject, detail)
    written = {name.removeprefix("audit_"): value for name, value in values.items()}
    row = AuditRow(**{**written, "detail": written["detail"].obj})
    row.audit_id, row.at = execute(RECORD, values)[0]
    return row


def told_of(
    tenant_id: int | None,
    actor: Actor,
    verb: Said,
    subject: Redacted,
    /,
    **detail: Fact,
) -> dict[str, Any]:
    """The values of one row, for a statement that writes it itself (`RIDE`); as for `record`."""
    return _values(tenant_id, actor, str(verb), subject, detail)


def refuse(
    tenant: Tenant | None,
    actor: Actor,
    verb: Said,
    subject: Redacted,
    **detail: Fact,
) -> bool:
    """Write a refused attempt as `refused_<verb>`, in a transaction of its own.

    Call it after the refused verb has rolled back; inside a transaction it raises RuntimeError,
    because the row would vanish with it. Returns False if this actor was refused this verb so
    often lately that the attempt was only counted.
    """
    with transaction.atomic(durable=True):
        if not _gets_a_row(tenant, actor, str(verb)):
            return False
        refused = ours("refused_%(verb)s", verb=hiding.text(str(verb)))
        record(tenant, actor, refused, subject, **detail)
    return True


@contextmanager
def told() -> Iterator[None]:
    """Inside, rights change without a row of PostgreSQL's own: the caller writes a better one.

    Needs a transaction. Every other change of a right leaves a row by trigger.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('kedge.told', 'yes', true)")
        yield
        cursor.execute("SELECT set_config('kedge.told', '', true)")


def close_windows() -> int:
    """Forget counts older than the window; what was only counted becomes one row. Returns how many."""
    with transaction.atomic():
        over = list(
            RefusalCount.objects.select_for_update(of=("self",), skip_locked=True)
            .select_related("tenant")
            .filter(since__lt=Now() - WINDOW)
            .order_by("pk")[:1000]
        )
        for count in over:
            _sum_up(count)
        RefusalCount.objects.filter(pk__in=[count.pk for count in over]).delete()
    return len(over)


def _gets_a_row(tenant: Tenant | None, actor: Actor, verb: str) -> bool:
    # All strangers first: over their limit not even a counter per address is kept.
    if (
        actor.kind == "stranger"
        and _count(tenant, "stranger", ALL_STRANGERS, verb) > STRANGERS_ROWS
    ):
        return False
    return _count(tenant, actor.kind, actor.id, verb) <= OWN_ROWS


# One statement, so that two refusals at once are counted as two. Arbiter: the unique constraint
# refusals_of_one_actor_are_counted_once (nulls not distinct).
COUNT_ATTEMPT = """
INSERT INTO tenants_refusalcount AS known (tenant_id, actor_kind, actor_id, verb, attempts)
VALUES (%s, %s, %s, %s, 1)
ON CONFLICT (tenant_id, actor_kind, actor_id, verb)
DO UPDATE SET attempts = known.attempts + 1
RETURNING attempts
"""


def _count(tenant: Tenant | None, kind: str, actor_id: str, verb: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(COUNT_ATTEMPT, [tenant.pk if tenant else None, kind, actor_id, verb])
        return int(cursor.fetchone()[0])


def _sum_up(count: RefusalCount) -> None:
    everybody = count.actor_kind == "stranger" and count.actor_id == ALL_STRANGERS
    written = STRANGERS_ROWS if everybody else OWN_ROWS
    if count.attempts <= written:
        return
    record(
        count.tenant,
        Actor.machine("sealer"),
        ours("count_refused_%(verb)s", verb=hiding.text(count.verb)),
        hiding.text("all strangers" if everybody else f"{count.actor_kind}:{count.actor_id}"),
        attempts=count.attempts,
        rows_written_at_most=written,
        since=count.since,
    )


def _values(
    tenant_id: int | None, actor: Actor, verb: str, subject: Redacted, detail: Mapping[str, Fact]
) -> dict[str, Any]:
    return {
        "audit_tenant_id": tenant_id,
        "audit_actor_kind": actor.kind,
        "audit_actor_id": actor.id,
        "audit_actor_name": actor.name,
        "audit_verb": verb,
        "audit_subject": str(subject),
        "audit_detail": Jsonb(normal(hiding.facts(detail))[1]),
    }
