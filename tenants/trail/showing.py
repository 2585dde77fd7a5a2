"""One audit row as the page prints it: words, who, a link to what it is about, its detail."""

import json
import re
from dataclasses import dataclass
from typing import Any, Final

from django.urls import NoReverseMatch, reverse
from django.utils.translation import gettext_lazy as _

from canonical.display import clip
from tenants.keys import hiding
from tenants.models import AuditRow
from tenants.trail.forms import words_of
from tenants.trail.rows import as_json

KINDS: Final = {"machine": _("process"), "stranger": _("not signed in")}
PAGES: Final = {
    "run": "run",
    "action": "reconciliation:action",
    "request": "approvals:request",
    "case": "reconciliation:case",
}
SUBJECT: Final = re.compile(r"(run|action|request|case)[ :]([0-9a-f-]{36})")
DIGEST: Final = re.compile("[0-9a-f]{64}")
LONGEST: Final = 300


@dataclass(frozen=True)
class Detail:
    """One member of a row's detail. `whole` is all of it when `text` is a digest's beginning."""

    name: str
    text: str
    cut: int = 0
    whole: str = ""


@dataclass(frozen=True)
class Row:
    """`kind` is "" for a person; `detail` leaves out what the subject says already."""

    row: AuditRow
    words: str
    kind: str
    refused: bool
    url: str
    detail: list["Detail"]
    position: int | None


def row_of(row: AuditRow, slug: str) -> Row:
    """A row of the tenant with this slug; with "" nothing is linked."""
    seal = getattr(row, "auditseal", None)
    told = hiding.value(as_json(row)["detail"]).value
    return Row(
        row=row,
        words=words_of(row.verb),
        kind=str(KINDS.get(row.actor_kind, "")),
        refused=row.verb.startswith(("refused_", "count_refused_")),
        url=_url(row.subject, slug),
        detail=[
            _detail(words_of(name), told[name])
            for name in sorted(told)
            if not _said(told[name], row.subject)
        ],
        position=seal.position if seal else None,
    )


def _said(value: Any, subject: str) -> bool:
    return isinstance(value, str) and bool(value) and subject.endswith(value)


def _detail(name: str, value: Any) -> Detail:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if DIGEST.fullmatch(text):
        return Detail(name, text[:12], whole=text)
    shown, cut = clip(text, LONGEST)
    return Detail(name, shown, cut)


def _url(subject: str, slug: str) -> str:
    about = SUBJECT.fullmatch(subject)
    if about is None or not slug:
        return ""
    try:
        return reverse(PAGES[about[1]], args=[slug, about[2]])
    except NoReverseMatch:
        return ""
