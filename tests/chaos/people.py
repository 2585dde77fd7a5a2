"""The people: they approve what is asked, and decide a case having looked at the outside world."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from uuid import UUID

from approvals import states as permission
from approvals.errors import ApprovalError
from approvals.models import ApprovalRequest
from checkpoints.errors import RecordError
from checkpoints.models import Case, Event
from checkpoints.states import OUTCOME_UNKNOWN
from reconciliation import verdicts
from reconciliation.errors import WorldError
from reconciliation.models import Action
from reconciliation.states import DISPATCHED
from reconciliation.verdicts import Given
from tests.chaos.outside import Outside
from tests.chaos.registry import TOOLS
from tests.crash import databases
from tests.opening import read_and_decide

PAUSE_SECONDS = 0.1
MOVED = (RecordError, WorldError, ApprovalError)
AT_ONCE = 20
SLACK_SECONDS = 1.0


@dataclass(frozen=True)
class Called:
    """A case that people were called for: its kind, the tool in question, and what they said.

    `said` is what the case says, of which run, and why its workers ended.
    """

    kind: str
    tool: str
    key: str
    verdict: str
    said: str = ""


@dataclass
class People:
    """Who answers; `called` keeps every case they were called for."""

    outside: Outside
    called: dict[UUID, Called] = field(default_factory=dict)
    refused: list[str] = field(default_factory=list)
    _seen: dict[UUID, float] = field(default_factory=dict)

    def round(self) -> None:
        """Answer what is open now."""
        cast = databases.cast()
        for request in ApprovalRequest.objects.filter(state=permission.OPEN)[:AT_ONCE]:
            self._try(partial(read_and_decide, request, cast.approver))
        cases = Case.objects.filter(decided_at=None, closed_at=None).select_related("run")
        for case in cases[:AT_ONCE]:
            self._rule(case, cast)
        time.sleep(PAUSE_SECONDS)

    def _rule(self, case: Case, cast: databases.Cast) -> None:
        """An unknown outcome is decided by what is outside; anything else is tried once more."""
        action = Action.objects.filter(run=case.run, stands=DISPATCHED).first()
        verdict = verdicts.TRY_AGAIN
        if case.kind == OUTCOME_UNKNOWN and action is not None:
            verdict = self._seen_outside(case, action)
        tool, key = (action.tool, bytes(action.key).hex()) if action else ("", "")
        if case.id not in self.called:
            self.called[case.id] = Called(case.kind, tool, key, verdict, _told(case))
        if verdict:
            given = Given(verdict, reason="I looked", evidence="the outside world itself")
            self._try(lambda: verdicts.give(case.id, given, user=cast.approver))

    def _seen_outside(self, case: Case, action: Action) -> str:
        """It is there: it happened. It is not there once nothing can arrive any more: send again."""
        if self.outside.has(bytes(action.key).hex(), case.run.business_key):
            return verdicts.IT_HAPPENED
        tool = TOOLS[action.tool]
        first = self._seen.setdefault(case.id, time.monotonic())
        window = tool.budget_seconds + tool.margin_seconds + SLACK_SECONDS
        return verdicts.SEND_AGAIN if time.monotonic() - first > window else ""

    def _try(self, act: Callable[[], object]) -> None:
        """What is refused has moved meanwhile: it is looked at again in the next round."""
        try:
            act()
        except MOVED as error:
            self.refused.append(f"{type(error).__name__}: {error}")


def _told(case: Case) -> str:
    of = Event.objects.filter(run_id=case.run_id, what="interrupted").order_by("id")
    ends = [f"at {each.detail.get('head')}: {each.detail.get('why')}" for each in of]
    return f"{case.run.business_key}: {case.sentence} (interrupted {'; '.join(ends) or 'never'})"
