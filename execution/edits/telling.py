"""What the pages of edits say: facts, the difference as rows, where an edit stands, what moved."""

import re
from dataclasses import dataclass
from typing import Any, Final

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from approvals import states
from approvals.hashing import Difference
from approvals.models import EditRequest
from approvals.showing import values
from canonical import display
from canonical import json as canonical
from checkpoints.models import Run
from checkpoints.states import EDIT_STATE, MIGRATE_BY_HAND
from execution.edits import writing
from execution.edits.marks import MARK
from execution.pages.places import CASE, place

Fact = dict[str, Any]

TITLES: Final[dict[str, str | Promise]] = {
    EDIT_STATE: gettext_lazy("State written by hand"),
    MIGRATE_BY_HAND: gettext_lazy("State migrated by hand"),
}
STANDS: Final[dict[str, str | Promise]] = {
    states.OPEN: gettext_lazy(
        "It waits for a second person. Until then the run stays on hold, and nothing is sent."
    ),
    states.APPROVED: gettext_lazy(
        "Approved. The next free worker commits it, if nothing has moved; then the run goes on."
    ),
    states.USED: gettext_lazy("It became checkpoint %(seq)s, and the run went on from there."),
    states.REJECTED: gettext_lazy("Rejected by %(by)s: %(why)s"),
    states.SENT_BACK: gettext_lazy("Sent back by %(by)s: %(why)s"),
    states.EXPIRED: gettext_lazy(
        "Its time was over before it became a checkpoint. Nothing changed."
    ),
    states.WITHDRAWN: gettext_lazy("Withdrawn by %(by)s: %(why)s"),
}
DIGEST: Final = re.compile("[0-9a-f]{64}")
TOLD: Final = 12
# What a bound field is called when it has moved.
MOVED: Final[dict[str, str | Promise]] = {
    "fence": gettext_lazy("Who may advance the run (fence)"),
    "head_seq": gettext_lazy("Last checkpoint"),
    "head_digest": gettext_lazy("Digest of the last checkpoint"),
    "combo": gettext_lazy("Version combo"),
    "run": gettext_lazy("The run"),
    "case": gettext_lazy("The case"),
}


@dataclass(frozen=True)
class Shown:
    """An edit as its page shows it: the whole difference, row by row, and the whole new state.

    `marks` is how many encrypted values it keeps or brings without showing them.
    """

    changes: list[dict[str, Any]]
    state: str
    marks: int
    size: int


def shown(diff: bytes, author: str) -> Shown:
    """Everything of a stored difference; values too long for a row are in the state in full."""
    _before, after = writing.changes_of(diff)
    state = writing.json_text(after["state"])
    return Shown(_rows(diff, author), state, len(MARK.findall(state)), len(state.encode()))


def facts(edit: EditRequest, head: int) -> list[Fact]:
    """Who, for which run, on top of what, until when."""
    run = edit.run
    became = edit.used_seq if edit.used_seq is not None else head + 1
    return [
        _fact(_("Written by"), str(edit.author), edit.asked_at),
        _fact(_("Run"), _name(run), url=place("run", edit.tenant, run.pk)),
        _fact(_("Case"), str(edit.case_id)[:8], url=place(CASE, edit.tenant, edit.case_id)),
        _fact(
            _("Follows checkpoint"), str(edit.parent_seq), url=_checkpoint(edit, edit.parent_seq)
        ),
        _fact(_("Becomes checkpoint"), str(became), url=_checkpoint(edit, edit.used_seq)),
        _fact(_("Next node"), edit.next_node),
        _fact(_("Schema of the state"), str(edit.schema)),
        _fact(_("Can be decided until"), _("then it is over"), edit.expires_at),
    ]


def sentence(edit: EditRequest) -> str:
    """Where an edit stands."""
    why = display.visible(edit.closed_because, lines=True) or _("no reason given")
    told = {"seq": edit.used_seq, "by": edit.closed_by or _("the clock"), "why": why}
    return str(STANDS[edit.state]) % told


def moved_rows(moved: tuple[Difference, ...]) -> list[dict[str, str]]:
    """What moved since it was written, for people."""
    return [
        {
            "label": str(MOVED.get(each.field, each.field.replace("_", " "))),
            "saw": _brief(each.saw),
            "now": _brief(each.now),
        }
        for each in moved
    ]


def _rows(diff: bytes, author: str) -> list[dict[str, Any]]:
    first = values.json_part(diff, by=author)
    if first is None:
        return []
    rows = list(first.changes)
    for page in range(2, first.pages + 1):
        part = values.json_part(diff, by=author, page=page)
        rows += part.changes if part is not None else []
    return rows


def _checkpoint(edit: EditRequest, seq: int | None) -> str:
    return place("run_checkpoint", edit.tenant, edit.run_id, seq) if seq else ""


def _name(run: Run) -> str:
    return f"{run.task_type} · {display.visible(run.business_key)}"


def _brief(value: str | None) -> str:
    text = value or ""
    return text[:TOLD] if DIGEST.fullmatch(text) else text  # one is told by its beginning


def _fact(label: str, value: str, at: Any = None, url: str = "") -> Fact:
    return {"label": label, "value": value, "at": at, "url": url, "note": ""}


def schema_text(schema: Any) -> str:
    """The schema that the new state must fit, for the writer; "" when none is declared."""
    return writing.json_text(canonical.normal(dict(schema))[1]) if schema else ""
