"""Turns a plan into what its pages print: sentences, figures, classes with samples, and pills."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from django.db.models import Count
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from approvals.pages import wording
from checkpoints.pages.forms import title_of
from execution.forecasts import KINDS as FORESEEN
from execution.forecasts import telling as foretelling
from execution.plans import states
from execution.plans.carrying import seconds_for
from execution.plans.kinds import KINDS
from execution.plans.kinds.ruling import OFFERED
from execution.plans.models import Plan, PlanItem
from execution.plans.sizes import Size
from tenants import pills

MOST_CLASSES: Final = 30
SAMPLES: Final = 3
ROWS: Final = 50

CODES: Final = {
    "changed": gettext_lazy("does not apply any more"),
    "in_plan": gettext_lazy("in another plan"),
    "not_permitted": gettext_lazy("not permitted"),
    "effect_unknown": gettext_lazy("effect unknown: blocks"),
    "not_offered": gettext_lazy("no such verdict for its case"),
    "no_evidence": gettext_lazy("no evidence"),
    "window": gettext_lazy("may still arrive"),
    "cannot_be_asked": gettext_lazy("its tool cannot be asked"),
    "cannot_be_judged": gettext_lazy("cannot be judged"),
    "unreadable": gettext_lazy("this code cannot read it"),
    "waits": gettext_lazy("waits"),
    "on_its_way": gettext_lazy("effect on its way"),
    "cannot_be_undone": gettext_lazy("nothing undoes it"),
    "undone": gettext_lazy("undone already"),
    "no_follow_up": gettext_lazy("nothing follows it up"),
    "followed_up": gettext_lazy("told this already"),
    "cannot_be_followed": gettext_lazy("cannot be followed up"),
}
RESULTS: Final = {
    states.DONE: gettext_lazy("done"),
    states.UNPROVEN: gettext_lazy("not yet proven"),
    states.SKIPPED: gettext_lazy("skipped: it changed"),
    states.FAILED: gettext_lazy("failed"),
    states.PLANNED: gettext_lazy("not carried out yet"),
    states.LEFT_OUT: gettext_lazy("left out"),
    states.WAITING: gettext_lazy("not looked at yet"),
}


@dataclass(frozen=True)
class Class:
    """So many items of one class, some of them to look at, and the address that lists them.

    `sizes` is what their effects touch together, in words: "1,234.00 EUR", "60 recipients".
    """

    code: str
    words: pills.Words
    count: int
    query: str
    samples: Sequence["Row"]
    sizes: Sequence[str] = ()


@dataclass(frozen=True)
class Row:
    """One item as its list prints it."""

    item: PlanItem
    task: str
    words: pills.Words
    text: str


def sentence(plan: Plan) -> str:
    """What a plan does, as its title says it: "Try again"."""
    if plan.kind == "verdict":
        given = OFFERED.get(plan.terms.get("verdict", ""))
        return str(given.label if given else KINDS[plan.kind].title)
    kind = KINDS.get(plan.kind)
    return str(kind.title) if kind else plan.kind


def button(plan: Plan) -> str:
    """The words of the button: the verb and the number."""
    return KINDS[plan.kind].button(plan.planned)


def foreseen(plan: Plan) -> list[str]:
    """What becomes of effects, in sentences: what would be sent first, "0 sent again" too."""
    if not KINDS[plan.kind].transition:
        return []
    counts = {name: int(plan.foreseen.get(name, 0)) for name in FORESEEN}
    always = ("sent_again",)
    return [
        foretelling.title(name, counts[name]) for name in FORESEEN if counts[name] or name in always
    ]


def lasts(plan: Plan) -> int:
    """How many seconds what is left takes at the rate."""
    return seconds_for(plan.planned, plan.per_minute)


def classes(plan: Plan, state: str, touched: Mapping[str, Size]) -> list[Class]:
    """The items of one state by class, the largest first, with a few of each to look at."""
    of = plan.items.filter(state=state)
    counted = of.values("code").annotate(n=Count("pk")).order_by("-n", "code")[:MOST_CLASSES]
    return [
        replace(
            _class(plan, state, row["code"], row["n"]), sizes=in_words(touched.get(row["code"]))
        )
        for row in counted
    ]


def in_words(size: Size | None) -> list[str]:
    """What effects touch together, in words; nothing of none."""
    return wording.together(size.money, size.counts) if size else []


def rows(items: Sequence[PlanItem]) -> list[Row]:
    """Items as rows, in the same order."""
    return [_row(item) for item in items]


def figures(plan: Plan) -> list[dict[str, Any]]:
    """What became of its items, with the address that lists each."""
    shown = (*states.RESULTS, states.PLANNED, states.LEFT_OUT)
    return [
        {
            "label": RESULTS[state],
            "value": getattr(plan, _column(state)),
            "query": f"?result={state}",
            "state": state,
        }
        for state in shown
    ]


def progress(plan: Plan) -> str:
    """Where it stands, in one sentence."""
    taken = plan.total - plan.left_out
    if plan.state == states.COMPUTING:
        numbers = {"done": plan.total - plan.waiting, "total": plan.total}
        return _("Worked out: %(done)d of %(total)d runs.") % numbers
    carried = taken - plan.planned
    told = ngettext(
        "%(done)d of %(n)d run carried out.", "%(done)d of %(n)d runs carried out.", taken
    )
    return told % {"done": carried, "n": taken}


def _class(plan: Plan, state: str, code: str, count: int) -> Class:
    few = plan.items.filter(state=state, code=code).order_by("position")
    samples = rows(list(few.select_related("run")[:SAMPLES]))
    return Class(code, words_of(code), count, f"?result={state}&code={code}", samples)


def words_of(code: str) -> pills.Words:
    """A class in words: ours, else that of a status or of a reason."""
    if code in CODES:
        return CODES[code]
    return pills.reason_words(code) or pills.pill_for(code).word


def _row(item: PlanItem) -> Row:
    text = item.said or item.sentence
    return Row(item, title_of(item.run.task_type), words_of(item.code), text)


def _column(state: str) -> str:
    columns: Mapping[str, str] = {states.PLANNED: "planned", states.LEFT_OUT: "left_out"}
    return columns.get(state, state)
