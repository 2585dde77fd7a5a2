"""The facts a case rests on, each with its age, for `components/facts.html`."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.urls import NoReverseMatch, reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from approvals import clock
from approvals.pages import wording
from canonical import display
from checkpoints import reading, states
from checkpoints.errors import DamagedRecordError
from checkpoints.models import Case, Checkpoint, Run
from reconciliation import outcomes
from reconciliation.models import Action, Attempt
from reconciliation.verdicts import label_of
from reconciliation.verdicts.superseding import TAKEN_BACK
from reconciliation.verdicts.terms import LINK

Fact = dict[str, Any]

CHECKPOINTS_LOOKED_AT: Final = 8
LONGEST: Final = 400

LABELS: Final[dict[str, str | Promise]] = {
    "error": gettext_lazy("What went wrong"),
    "head": gettext_lazy("Last checkpoint"),
    "node": gettext_lazy("Node"),
    "source": gettext_lazy("Source"),
    "was": gettext_lazy("When it was read"),
    "now": gettext_lazy("Now"),
    "schema": gettext_lazy("Schema of the state"),
    "reads": gettext_lazy("Schema this code reads"),
    "combo": gettext_lazy("Version combo"),
    "tool": gettext_lazy("Tool"),
    "target": gettext_lazy("Target"),
    "count": gettext_lazy("How often it is there"),
    "approved": gettext_lazy("Digest of the bytes approved"),
    "sent": gettext_lazy("Digest of the bytes that left"),
    "said": gettext_lazy("What was said"),
    "trace": gettext_lazy("Where it failed"),
    "key": gettext_lazy("Idempotency key"),
    "journal_at": gettext_lazy("When the journal says it was to be sent"),
}
# Told better by the rows of the attempt itself, or by the sentence of the case.
TOLD_ELSEWHERE: Final = frozenset(
    {"attempt", "number", "sent_at", "window_ends_at", "case", "proposed"}
)


@dataclass(frozen=True)
class Candidate:
    """A checkpoint one may go on from: intact, or `damage` says what is wrong with it."""

    seq: int
    node: str
    at: datetime | None
    damage: str


def of(case: Case, action: Action | None, attempt: Attempt | None) -> list[Fact]:
    """Who, where, what, and for an effect that was sent: when, until when, how often."""
    facts = [_run(case), fact(_("Opened"), _opened(case), case.opened_at)]
    if action is not None:
        facts += _of_action(action)
    if attempt is not None:
        facts += _of_attempt(attempt)
    facts += _earlier(case)
    known = {} if action is None else {"tool", "target", "error"}
    return facts + [
        fact(str(LABELS.get(name, name)), _shown(value), case.opened_at)
        for name, value in sorted(case.facts.items())
        if name not in TOLD_ELSEWHERE and name not in known and value not in ("", None)
    ]


def of_action_page(action: Action) -> list[Fact]:
    """What the page of one action says of it."""
    run = action.run
    name = f"{run.task_type} · {display.visible(run.business_key)}"
    return [
        fact(_("Run"), name, url=run_url(run, action.tenant.slug), note=run.sentence),
        fact(_("Proposed by"), _("node %(node)s") % {"node": action.node}, action.proposed_at),
        fact(_("Tool"), action.tool),
        fact(_("Target"), display.visible(action.target)),
        fact(_("Size"), wording.magnitude(action.magnitude)),
        fact(_("Acts as"), display.visible(action.acting_credential)),
    ]


def seen(told: dict[str, Any]) -> list[Fact]:
    """Where the evidence of a verdict was seen, and who says so."""
    link, digest = str(told.get("link", "")), str(told.get("file_digest", ""))
    name = display.visible(str(told.get("file_name", "")))
    rows = [
        (_("Reference of the provider"), str(told.get("reference", "")), "", ""),
        (_("Link"), link, link if LINK.fullmatch(link) else "", ""),
        (_("File"), digest, "", _("SHA-256 of “%(name)s”") % {"name": name} if name else ""),
        (_("Said by"), str(told.get("said_by", "")), "", ""),
    ]
    return [
        fact(label, display.visible(value), url=url, note=note)
        for label, value, url, note in rows
        if value
    ]


def candidates(run: Run) -> list[Candidate]:
    """The latest checkpoints of a run, newest first, each read and verified now."""
    first = max(1, run.head - CHECKPOINTS_LOOKED_AT + 1)
    rows = Checkpoint.objects.filter(run_id=run.pk, seq__range=(first, run.head))
    known = {seq: (node, at) for seq, node, at in rows.values_list("seq", "node", "at")}
    found = []
    for seq in range(run.head, first - 1, -1):
        node, at = known.get(seq, ("", None))
        found.append(Candidate(seq, node, at, _damage(run, seq)))
    return found


def fact(label: str, value: str, at: datetime | None = None, url: str = "", note: str = "") -> Fact:
    """One row of `components/facts.html`."""
    return {"label": label, "value": value, "at": at, "url": url, "note": note}


def run_url(run: Run, slug: str) -> str:
    """The page of the run, "" on a site without one."""
    try:
        return reverse("run", args=[slug, run.pk])
    except NoReverseMatch:
        return ""


def _run(case: Case) -> Fact:
    run = case.run
    name = f"{run.task_type} · {display.visible(run.business_key)}"
    return fact(_("Run"), name, url=run_url(run, case.tenant.slug))


def _opened(case: Case) -> str:
    if case.facts.get("error") == TAKEN_BACK:
        return _("as somebody took a verdict back")
    if case.kind == states.RECORD_BEHIND:
        return _("as the record was compared with the journal")
    return _("by the worker that held the run")


def _earlier(case: Case) -> list[Fact]:
    """The case that this one opens again, if it does."""
    earlier = case.facts.get("case")
    if not earlier:
        return []
    url = reverse("reconciliation:case", args=[case.tenant.slug, earlier])
    before = Case.objects.filter(pk=earlier, tenant=case.tenant).first() or case
    label = label_of(before, case.facts.get("verdict", ""))
    return [
        fact(_("Opens again"), _("an earlier case, with the verdict given there"), url=url),
        fact(_("The verdict it is against"), label),
    ]


def _of_action(action: Action) -> list[Fact]:
    url = reverse("reconciliation:action", args=[action.tenant.slug, action.pk])
    return [
        fact(_("Effect"), display.visible(action.describe), action.proposed_at, url=url),
        fact(_("Target"), display.visible(action.target)),
        fact(_("Tool"), action.tool),
        fact(_("Look for"), str(action.pk), note=_("the action id, which the effect carries")),
    ]


def _of_attempt(attempt: Attempt) -> list[Fact]:
    ends = outcomes.window_end(attempt)
    late = _("may still arrive") if clock.now() <= ends else _("cannot arrive any more")
    return [
        fact(_("Sent"), _("attempt %(n)s") % {"n": attempt.number}, attempt.dispatched_at),
        fact(
            _("A late call"),
            late,
            ends,
            note=_("Only after that moment can anybody say that it did not happen."),
        ),
    ]


def _damage(run: Run, seq: int) -> str:
    try:
        reading.load(run, seq)
    except (DamagedRecordError, ValueError, KeyError, TypeError) as error:
        return str(error)
    return ""


def _shown(value: Any) -> str:
    text = display.visible(str(value), lines=True)
    shown, cut = display.clip(text, LONGEST)
    more = _("… (%(n)s more characters)") % {"n": f"{cut:,}"}
    return shown + more if cut else shown
