"""A mypy plugin: where our own words are asked for, nothing but words of this code passes.

`typing.LiteralString` says so in the signatures; mypy itself reads it as plain `str`.
"""

from collections.abc import Callable
from typing import Final

from mypy.errorcodes import ARG_TYPE
from mypy.nodes import CallExpr, ConditionalExpr, Expression, RefExpr, StrExpr
from mypy.plugin import FunctionContext, Plugin
from mypy.types import Instance, LiteralType, Type, UnionType, get_proper_type

# Each function that takes our own words, and as which parameters, counted from 0.
OWN_WORDS: Final = {
    "canonical.redaction.ours": (0,),
    "tenants.keys.hiding.said": (),  # what a sink was handed: judged where it was
    "tenants.audit.record": (2,),
    "tenants.audit.refuse": (2,),
    "tenants.audit.told_of": (2,),
    "checkpoints.events.append": (1,),
    "tenants.notifications.outbox.Matter": (3,),
    "tenants.notifications.mails.send": (1, 2),
    "tenants.notifications.webhooks.post": (1,),
    "approvals.requests.close": (3,),
    "approvals.requests.withdraw": (2,),
    "approvals.drift.looks.note_unseen": (1,),
    "approvals.looking.turns.again_in": (2,),
    "reconciliation.ledger.answers.Answer": (4,),
    "reconciliation.ledger.answers.record_look_up": (2,),
    "reconciliation.ledger.outcomes.settle": (4,),
    "reconciliation.ledger.outcomes.give_up_proposal": (1,),
    "checkpoints.cases.Trouble": (1,),
    "checkpoints.cases.Ruling": (1, 2),
    "checkpoints.answered.close": (1,),
    "checkpoints.forks.Asked": (1,),
    "reconciliation.doors.moving.open_answered": (1,),
    "releases.moving.stop_by_machine": (1,),
    "releases.moving.roll_back": (1,),
    "releases.rollbacks.proposing.propose_by_machine": (1,),
    "checkpoints.holding.rest_now": (1,),
    "reconciliation.behind.settling.by_verdict": (2,),
    "execution.edits.ending.close": (3,),
    "execution.forks.making.Wanted": (1,),
    "execution.problems.changing._say": (),
    "checkpoints.cases.close_proven": (1,),
    "checkpoints.cases.close": (1,),
    "checkpoints.cases.open_again": (3,),
    "checkpoints.desk.notes.write": (1,),
    "checkpoints.desk.pauses.begin": (1, 2),
    "checkpoints.desk.working.hand_over": (3,),
    "checkpoints.desk.working.wait_outside": (1, 2),
    "checkpoints.recoveries.begin": (2,),
    "checkpoints.repins.order": (2,),
    "checkpoints.repins.refuse": (1,),
    "checkpoints.repins.withdraw": (1,),
    "checkpoints.repins._end": (),
    "execution.repinning.order": (2,),
    "checkpoints.wakeups.wake": (1,),
    "checkpoints.runs.Outcome": (2,),
    "checkpoints.runs.suspend": (2,),
    "checkpoints.runs.retry_later": (1,),
    "checkpoints.runs.lapse": (2,),
    "checkpoints.runs.request_cancel": (1,),
    "checkpoints.runs.release_hold": (1,),
    "checkpoints.revoking.revoke": (1,),
    "execution.problems.changing.snooze": (2,),
    "execution.problems.changing.wake": (1,),
    "execution.problems.changing.resolve": (2,),
    "execution.problems.changing.reopen": (2,),
}
REDACTED: Final = "canonical.redaction.Redacted"
TRANSLATED: Final = tuple(
    f"django.utils.translation.{name}gettext{lazy}"
    for name in ("", "n", "p", "np")
    for lazy in ("", "_lazy")
)


class OwnWords(Plugin):
    """Refuses a text that was put together, read or handed on where our own words are asked for."""

    def get_function_hook(self, fullname: str) -> Callable[[FunctionContext], Type] | None:
        """The check of one of the functions above."""
        places = OWN_WORDS.get(fullname)
        return None if places is None else lambda call: _checked(call, places)


def _checked(call: FunctionContext, places: tuple[int, ...]) -> Type:
    handed = [
        pair
        for place in places
        for pair in zip(call.args[place], call.arg_types[place], strict=True)
    ]
    for expr, its in handed:
        if not (_is_fixed(its) or _is_translated(expr)):
            said = "only words of this code pass here; redact other text (hiding.text)"
            call.api.fail(said, expr, code=ARG_TYPE)
    return call.default_return_type


def _is_translated(expr: Expression) -> bool:
    """A text of this code in another language, or one of two."""
    if isinstance(expr, ConditionalExpr):
        return _is_translated(expr.if_expr) and _is_translated(expr.else_expr)
    if not isinstance(expr, CallExpr) or not isinstance(expr.callee, RefExpr):
        return False
    words = expr.args[:2] if "ngettext" in expr.callee.fullname else expr.args
    return expr.callee.fullname in TRANSLATED and all(isinstance(each, StrExpr) for each in words)


def _is_fixed(its: Type) -> bool:
    """A constant, a choice of `Literal`s, or what is redacted."""
    known = get_proper_type(its)
    if isinstance(known, UnionType):
        return all(_is_fixed(each) for each in known.items)
    if isinstance(known, Instance):
        return known.type.fullname == REDACTED or known.last_known_value is not None
    return isinstance(known, LiteralType)


def plugin(version: str) -> type[Plugin]:
    """What mypy asks for."""
    return OwnWords
