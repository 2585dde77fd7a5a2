"""What the page of a fork shows: what can be chosen, what would follow, and the form."""

from typing import Any

from django.utils.translation import ngettext

from checkpoints.graph import END
from checkpoints.models import Combo, Run
from checkpoints.pages.forms import title_of
from execution.forecasts.judging import NEEDS_APPROVAL, REUSED, SENT_AGAIN
from execution.forks import compatible, previews, withdrawing
from execution.forks.compatible import From, Onto
from execution.forks.forms import ChoiceForm, ForkForm
from execution.forks.previews import Preview


def page(run: Run, choice: ChoiceForm) -> dict[str, Any]:
    """The context of templates/execution/fork.html: `form` is None when nothing can be forked."""
    froms, ontos = compatible.checkpoints(run, named=choice.at), compatible.combos(run)
    unsent = withdrawing.unsent(run)
    withdraws = unsent is not None and choice.leaves_to_fork(usually=True)
    chosen, onto = _chosen(froms, choice.at), _onto(ontos, choice.cleaned_data.get("combo", ""))
    why_not = previews.source_why_not(run)
    preview = None
    if chosen is not None and onto is not None and not why_not:
        preview = previews.preview(run, chosen.seq, onto.combo, choice.effects, withdraws=withdraws)
    return {
        "run": run,
        "task": title_of(run.task_type),
        "section": "runs",
        "why_not": why_not,
        "froms": froms,
        "ontos": ontos,
        "chosen": chosen,
        "onto": onto,
        "unsent": unsent,
        "withdraws": withdraws,
        "preview": preview,
        "forecast": preview and preview.forecast,
        "summary": _summary(preview),
        "repeatable": _repeatable(preview, choice),
        "form": _form(preview, choice, withdraws=withdraws),
        "blocked": previews.BLOCKED if preview and preview.forecast.blocked else "",
    }


def combos_of(run: Run) -> list[Combo]:
    """The combos that the page names."""
    return [onto.combo for onto in compatible.combos(run)]


def _chosen(froms: list[From], at: int | None) -> From | None:
    """The checkpoint that was named; else the newest from which there is something left to do."""
    able = [each for each in froms if not each.why_not]
    if at is not None:
        return next((each for each in able if each.seq == at), None)
    return next((each for each in able if each.next_node != END), None)


def _onto(ontos: list[Onto], named: str) -> Onto | None:
    able = [each for each in ontos if not each.why_not]
    if named:
        return next((each for each in able if each.digest == named), None)
    return able[0] if able else None


def _repeatable(preview: Preview | None, choice: ChoiceForm) -> list[dict[str, Any]]:
    """The effects that would be taken over: a person may have each of them done again."""
    if preview is None:
        return []
    return [
        {"line": line, "is_chosen": line.action_id in choice.effects}
        for line in preview.forecast.lines
        if line.kind == REUSED or (line.kind == NEEDS_APPROVAL and line.action_id in choice.effects)
    ]


def _summary(preview: Preview | None) -> str:
    """What the button says."""
    again = preview.forecast.counts[SENT_AGAIN] if preview else 0
    told = ngettext("%(n)d effect sent again", "%(n)d effects sent again", again)
    return told % {"n": again}


def _form(preview: Preview | None, choice: ChoiceForm, *, withdraws: bool) -> ForkForm | None:
    if preview is None or preview.forecast.blocked:
        return None
    return ForkForm.of(
        {
            "seq": preview.seq,
            "combo": preview.combo.hex,
            "again": [str(each) for each in sorted(choice.effects)],
            "withdraws": withdraws,
            "seen": preview.digest,
        }
    )
