"""The context of the pages of edits: what is written, what it rests on, and who may do what."""

import re
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from approvals import clock, onward, states
from approvals.edits import waiting
from approvals.errors import AlreadyDecidedError, HashMismatchError
from approvals.models import EditDecision, EditRequest
from canonical import json as canonical
from checkpoints.errors import IllegalMoveError
from checkpoints.graph import Json
from checkpoints.models import Case, Run
from checkpoints.states import MIGRATE_BY_HAND
from execution.edits import judging, notices, proposing, telling, writing
from execution.edits.errors import EditRefusedError, UnreconciledError
from execution.edits.forms import AnswerForm, StateForm, WithdrawalForm
from execution.edits.writing import Base
from execution.pages.places import place
from reconciliation.pages import casefacts
from tenants.scope import TenantRequest

SAID: Final[dict[str, str | Promise]] = {
    states.APPROVE: gettext_lazy(
        "You approved it. The run goes on from it as soon as a worker is free."
    ),
    states.REJECT: gettext_lazy("You rejected it. The run stays on hold."),
    states.SEND_BACK: gettext_lazy("You sent it back. The run stays on hold."),
}
SEQ: Final = re.compile("[0-9]{1,15}")
AGAIN: Final = (states.SENT_BACK, states.REJECTED, states.EXPIRED, states.WITHDRAWN)


@dataclass(frozen=True)
class Posted:
    """Forms that were posted and could not be accepted, and why: they come back as they were."""

    answer: AnswerForm | None = None
    withdrawal: WithdrawalForm | None = None
    error: Exception | None = None


@dataclass(frozen=True)
class Writing:
    """What lies before somebody who writes a state. `why_not` is "" when one can be written.

    `again` is an earlier proposal of this case that is written anew, `shown` its stored state.
    """

    form: StateForm | None = None
    base: Base | None = None
    again: EditRequest | None = None
    shown: tuple[Json, ...] = ()
    why_not: str = ""


def writing_of(case: Case, query: QueryDict) -> Writing:
    """The form for the checkpoint that `query` names, the head by default; nothing is kept."""
    run: Run = case.run
    try:
        proposing.refuse_if_not_editable(run, case)
        graph = proposing.graph_for(run)
        again = _again(case, query)
        seq = again.parent_seq if again is not None else _seq(query, run)
        base = writing.base_of(run, graph, seq)
    except EditRefusedError as refusal:
        return Writing(why_not=sentence_of(refusal))
    stored = canonical.loads_object(bytes(again.content)) if again is not None else None
    initial = {
        "text": base.text if stored is None else writing.pretty(run.tenant_id, stored),
        "reason": again.reason if again is not None else "",
    }
    form = StateForm(base, query if "text" in query else None, initial=initial)
    return Writing(form, base, again, () if stored is None else (stored,))


def writing_page(
    request: TenantRequest, case: Case, found: Writing, diff: bytes | None
) -> dict[str, Any]:
    """The context of the page on which a state is written."""
    base, run = found.base, case.run
    by_hand = base is not None and base.kind == MIGRATE_BY_HAND
    schema = base.graph.state_schemas.get(base.graph.state_schema) if base is not None else None
    if found.form is not None:
        found.form.fields["reason"].required = True  # to look takes none, to propose does
    return {
        "section": "needs",
        "case": case,
        "run": run,
        "form": found.form,
        "base": base,
        "again": found.again,
        "why_not": found.why_not,
        "by_hand": by_hand,
        "becomes": run.head + 1,
        "candidates": casefacts.candidates(run) if base is not None else [],
        "shown": telling.shown(diff, str(request.user)) if diff is not None else None,
        "schema": telling.schema_text(schema),
        "forecast_url": _forecast(run, base),
        "effects": place("reconciliation:run_actions", case.tenant, run.pk),
    }


def edit_page(request: TenantRequest, edit: EditRequest, posted: Posted) -> dict[str, Any]:
    """The context of the page of one edit, as the person of this request sees it."""
    rights = request.access.rights.get(edit.tenant_id, frozenset())
    user, is_over = request.user, edit.expires_at <= clock.now()
    why_not = waiting.why_not(edit, user_id=user.pk, email=user.email, rights=rights)
    is_open = edit.state == states.OPEN and not is_over
    reads = "read_payloads" in rights
    given = EditDecision.objects.select_related("user").filter(request=edit).first()
    fresh = {"shown": edit.edit_hash, "onward": onward.of(request)}
    return {
        "section": "needs",
        "edit": edit,
        "title": telling.TITLES[edit.kind],
        "sentence": telling.sentence(edit),
        "facts": telling.facts(edit, edit.run.head),
        "reads": reads,
        "shown": telling.shown(bytes(edit.diff), str(edit.author)) if reads else None,
        "is_over": is_over and edit.state in states.LIVE,
        "is_open": is_open,
        "why_not": why_not,
        "given": given,
        "people": [each for each in notices.deciders(edit) if each.pk != user.pk]
        if is_open
        else [],
        "answer": posted.answer or AnswerForm(initial=fresh, auto_id="answer-%s"),
        "withdrawal": posted.withdrawal or WithdrawalForm(auto_id="withdrawal-%s"),
        "may_withdraw": edit.state in states.LIVE and may_withdraw(request, edit),
        "may_write_again": edit.state in AGAIN
        and _is_undecided(edit)
        and set(judging.WRITING) <= rights,
        **_refused(posted.error),
    }


def may_withdraw(request: TenantRequest, edit: EditRequest) -> bool:
    """Its author may, and those who decide, stop and reconcile."""
    rights = request.access.rights.get(edit.tenant_id, frozenset())
    return edit.author_id == request.user.pk or bool(rights & judging.MAY_WITHDRAW)


def sentence_of(refusal: Exception) -> str:
    """A refusal as a sentence."""
    said = str(refusal)
    return f"{said[:1].upper()}{said[1:]}."


def field_of(refusal: Exception) -> str | None:
    """The field that a refusal is about; None when it is about the run."""
    return None if isinstance(refusal, UnreconciledError | IllegalMoveError) else "text"


def _refused(error: Exception | None) -> dict[str, Any]:
    if error is None:
        return {"refused": "", "moved": []}
    if isinstance(error, HashMismatchError):
        said = _("What it was written for has changed meanwhile, so your answer was not counted.")
        return {"refused": said, "moved": telling.moved_rows(error.differences)}
    if isinstance(error, AlreadyDecidedError):
        said = _("It is decided already, so your answer was not counted.")
        return {"refused": said, "moved": []}
    if isinstance(error, EditRefusedError):
        return {"refused": sentence_of(error), "moved": []}
    said = _("What is stored is not what was proposed. Nobody may decide it.")
    return {"refused": said, "moved": []}


def _again(case: Case, query: QueryDict) -> EditRequest | None:
    """The earlier proposal that is to be written anew; one that is not of this case is nobody's."""
    try:
        wanted = UUID(query.get("again", ""))
    except ValueError:
        return None
    return EditRequest.objects.filter(pk=wanted, case=case, state__in=AGAIN).first()


def _seq(query: QueryDict, run: Run) -> int:
    given = query.get("parent_seq", "")
    return int(given) if SEQ.fullmatch(given) else run.head


def _is_undecided(edit: EditRequest) -> bool:
    return edit.case.decided_at is None and edit.case.closed_at is None


def _forecast(run: Run, base: Base | None) -> str:
    url = place("run_forecast", run.tenant, run.pk)
    if not url or base is None:
        return ""
    back = base.loaded.seq != run.head
    return (
        f"{url}?transition=go_on_from&seq={base.loaded.seq}" if back else f"{url}?transition=resume"
    )
