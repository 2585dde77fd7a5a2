"""Takes reports in: columns mapped once per tool, the file kept as evidence, each line judged once."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, Final

from django.db import connection, transaction
from django.db.models import Max

from canonical import digests
from canonical.redaction import ours
from reconciliation.reports import columns as reading
from reconciliation.reports import effects, matching, uploads
from reconciliation.reports.columns import Columns, Line, UnreadableLineError
from reconciliation.reports.errors import ReportRefusedError
from reconciliation.reports.files import Table
from reconciliation.reports.matching import UNREADABLE, Match, Period
from reconciliation.reports.models import ColumnMap, Report, ReportLine
from reconciliation.reports.uploads import Upload
from tenants import audit
from tenants.actors import Actor
from tenants.keys import hiding
from tenants.models import Tenant, User

LONGEST_CURRENCY: Final = 8
NUMBERS: Final = 0x4B525054  # "KRPT": the first half of an advisory lock, the tenant is the second


def columns_of(tenant: Tenant, tool: str) -> ColumnMap | None:
    """How this tool's reports are read here: the newest mapping."""
    return ColumnMap.objects.filter(tenant=tenant, tool=tool).order_by("-id").first()


def map_columns(tenant: Tenant, tool: str, columns: Columns, *, user: User) -> ColumnMap:
    """Say how this tool's columns are read from now on. Raises `Denied`, `ReportRefusedError`."""
    uploads.refuse_without_right(tenant, user)
    if not columns.reference:
        raise ReportRefusedError("Say in which column our reference comes back.")
    if columns.status and not columns.done:
        raise ReportRefusedError("Say which words of the status column mean that it was done.")
    known = columns_of(tenant, tool)
    if known is not None and Columns.from_json(known.columns) == columns:
        return known
    with transaction.atomic():
        kept = ColumnMap.objects.create(
            tenant=tenant, tool=tool, columns=hiding.value(columns.as_json()).value, made_by=user
        )
        audit.record(
            tenant,
            Actor.person(user),
            "map_report_columns",
            hiding.text(f"tool:{tool}"),
            columns=hiding.value(columns.as_json()),
        )
    return kept


def take_in(tenant: Tenant, upload: Upload, *, user: User) -> tuple[Report, bool]:
    """Match a report and keep it with all that was found; True when it is new.

    Nothing follows from it by itself. The same file read the same way is the report there is.
    Raises `Denied`, and `ReportRefusedError` for what cannot be read or matched.
    """
    uploads.refuse_without_right(tenant, user)
    mapped = columns_of(tenant, upload.tool)
    if mapped is None:
        raise ReportRefusedError(f"Nobody has said yet how reports of {upload.tool} are read.")
    table = upload.table()
    found = _judged(tenant, upload, table, Columns.from_json(mapped.columns))
    with transaction.atomic():
        kept = _keep(tenant, upload, (mapped, table.media, found), user)
        uploads.throw_away(tenant, user=user)
    return kept


def opened(report: Report) -> bytes:
    """The file's own bytes. Raises `KeysError`, and `ReportRefusedError` when they were changed."""
    content = uploads.unsealed(report.tenant_id, report.content)
    if digests.sha256_hex(content) != bytes(report.digest).hex():
        raise ReportRefusedError("What was kept of the file is not what was taken in.")
    return content


def _judged(tenant: Tenant, upload: Upload, table: Table, columns: Columns) -> list[Match]:
    missing = [name for name in columns.named() if name not in table.columns]
    if missing:
        raise ReportRefusedError(
            f"{upload.name} has no column {missing[0]!r}. Is it a report of {upload.tool}? "
            "Else say anew how its columns are read."
        )
    lines: list[Line] = []
    unreadable: list[Match] = []
    for row in table.rows:
        try:
            lines.append(reading.read(row, columns))
        except UnreadableLineError as error:
            unreadable.append(Match(UNREADABLE, row.number, None, None, f"{error}."))
    if not lines:
        raise ReportRefusedError(
            f"No line of {upload.name} can be read: {unreadable[0].said} Look at how its columns "
            "are read."
        )
    period = Period(upload.since, upload.until)
    known = effects.named_or_sent(tenant, upload.tool, lines, period)
    return [*matching.match(lines, known, period), *unreadable]


def _keep(
    tenant: Tenant, upload: Upload, read: tuple[ColumnMap, str, list[Match]], user: User
) -> tuple[Report, bool]:
    mapped, media, found = read
    digest = digests.sha256_hex(upload.content)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [NUMBERS, tenant.pk])
    same = {
        "tenant": tenant,
        "tool": upload.tool,
        "digest": bytes.fromhex(digest),
        "mapped": mapped,
        "since": upload.since,
        "until": upload.until,
    }
    known = Report.objects.filter(**same).first()
    if known is not None:
        return known, False
    last = Report.objects.filter(tenant=tenant).aggregate(last=Max("number"))["last"]
    report = Report.objects.create(
        **same,
        **_counted(found),
        number=(last or 0) + 1,
        name=upload.called,
        media=media,
        content=uploads.sealed(tenant, upload.content),
        size=len(upload.content),
        taken_in_by=user,
    )
    ReportLine.objects.bulk_create(_rows(report, found), batch_size=1_000)
    audit.record(
        tenant,
        Actor.person(user),
        "take_in_report",
        ours("report %(n)s", n=report.number),
        tool=hiding.text(upload.tool),
        digest=hiding.text(digest),
        lines=report.lines,
    )
    return report, True


def _counted(found: Sequence[Match]) -> dict[str, Any]:
    counts = Counter(each.kind for each in found)
    lines = sum(each.number > 0 for each in found)
    return {"lines": lines, "sums": _sums(found), **{kind: counts[kind] for kind in matching.KINDS}}


def _rows(report: Report, found: Iterable[Match]) -> list[ReportLine]:
    return [
        ReportLine(
            report=report,
            number=each.number,
            kind=each.kind,
            action_id=each.effect.id if each.effect else None,
            amount=each.money[0],
            currency=each.money[1][:LONGEST_CURRENCY],
            at=each.line.at if each.line else None,
            said=str(hiding.text(each.said)),
            answers=each.answers,
        )
        for each in found
    ]


def _sums(found: Sequence[Match]) -> dict[str, Any]:
    """For each kind the sums per currency, in minor units."""
    sums: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for each in found:
        amount, currency = each.money
        if amount is not None:
            sums[each.kind][currency] += abs(amount)
    return {kind: dict(sorted(sums[kind].items())) for kind in sorted(sums)}
