"""The people of a story: they start runs, approve, decide cases by the world, settle lines, and lift."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Final
from uuid import UUID

from django.db import InterfaceError, OperationalError, connections
from django.utils import timezone

from approvals import states as permission
from approvals.errors import ApprovalError
from approvals.models import ApprovalRequest
from approvals.people import reversibility
from checkpoints import liftings, runs
from checkpoints.asked import Request
from checkpoints.errors import RecordError
from checkpoints.models import Case, Run, Stop
from checkpoints.states import FINAL
from reconciliation import verdicts
from reconciliation.behind import settling
from reconciliation.behind.models import MissingLine
from reconciliation.errors import WorldError
from reconciliation.models import Action
from reconciliation.verdicts import Given
from tenants.actors import BY_COMMAND, Actor, Proof
from tenants.models import User
from tests.crash import databases
from tests.opening import read_and_decide
from tests.people import eve
from tests.restores.outside import Outside
from tests.restores.registry import ALL, TASKS

AT_ONCE: Final = 50
# Budget and margin of the tools, and a second: from then on nothing that was sent can arrive.
WINDOW_SECONDS: Final = 4.0
FASTEST: Final = 600
NOT_NOW: Final = (RecordError, WorldError, ApprovalError)


@dataclass
class People:
    """Who looks at the world before they say anything; `cases` are those they were called for."""

    outside: Outside
    cases: dict[UUID, str] = field(default_factory=dict)
    refused: list[str] = field(default_factory=list)
    began: float = field(default_factory=time.monotonic)
    _numbers: int = 0

    def round_of(self, act: Callable[[], object]) -> None:
        """Do something while servers may be away: then nothing is done, and it is done again later."""
        try:
            act()
        except (OperationalError, InterfaceError):
            connections.close_all()

    def say_what_can_be_undone(self) -> None:
        """Both tools: only what can be undone may pass without a person."""
        tenant, actor = databases.cast().tenant, Actor.machine("restores")
        for tool in ALL:
            reversibility.set_class(tenant, tool.name, "reversible", actor=actor, why="A fake.")

    def keep_going(self, wanted: int, legs: int, mark: str) -> None:
        """Start runs until so many are on their way."""
        cast = databases.cast()
        for _ in range(wanted - Run.objects.exclude(status__in=FINAL).count()):
            self._numbers += 1
            self._start(cast, f"{mark}{self._numbers:03d}", self._numbers, legs)

    def call_again(self) -> None:
        """A caller whose run the record has lost asks for it again: it has effects in the world."""
        lost = MissingLine.objects.filter(lacks="run").values_list("attempt_id", flat=True)
        attempts = {str(attempt) for attempt in lost}
        keys = {e.what.rpartition("-")[0] for e in self.outside.effects() if e.attempt in attempts}
        for key in sorted(keys):
            number = int(key.rpartition("-")[2])
            self._try(partial(self._start, databases.cast(), key, number, 1))

    def answer(self) -> None:
        """Approve what is asked, and decide what cases are open."""
        cast = databases.cast()
        for request in ApprovalRequest.objects.filter(state=permission.OPEN)[:AT_ONCE]:
            self._try(partial(_approve, request, cast.approver))
        open_cases = Case.objects.filter(decided_at=None, closed_at=None).select_related("run")
        for case in open_cases[:AT_ONCE]:
            self._rule(case, cast.approver)

    def settle(self) -> None:
        """Say what became of lines whose whole run the record has lost."""
        for line in MissingLine.objects.filter(became="", lacks="run")[:AT_ONCE]:
            there = self.outside.has(line.line["key"])
            if there or self._nothing_arrives_any_more():
                self._try(partial(_settle, line, there, databases.cast().starter))

    def lift(self) -> bool:
        """Two people lift every stop of effects; whether none is left."""
        cast = databases.cast()
        for stop in Stop.objects.filter(lock="effects", lifted_at=None):
            self._try(partial(_lift, stop, cast.starter, eve(cast.tenant)))
        return not Stop.objects.filter(lock="effects", lifted_at=None).exists()

    def _start(self, cast: databases.Cast, key: str, number: int, legs: int) -> None:
        tool = ALL[number % len(ALL)].name
        task_type = TASKS[number // len(ALL) % len(TASKS)]
        content = {"legs": legs, "tool": tool, "what": key}
        request = Request(task_type, key, content, channel="restores")
        runs.start(cast.tenant, request, actor=Actor.person(cast.starter))

    def _rule(self, case: Case, user: User) -> None:
        """It is there: it happened. It is not there once nothing can arrive any more: it did not."""
        self.cases.setdefault(case.id, case.kind)
        there = self.outside.has(_key_of(case))
        if not there and not self._nothing_arrives_any_more():
            return
        offered = {choice.verdict for choice in verdicts.choices(case)}
        wanted = [verdicts.IT_HAPPENED] if there else [verdicts.SEND_AGAIN, verdicts.IT_DID_NOT]
        fitting = [verdict for verdict in [*wanted, verdicts.TRY_AGAIN] if verdict in offered]
        for verdict in fitting[:1]:
            given = Given(verdict, reason="I looked", evidence="the outside world itself")
            self._try(partial(verdicts.give, case.id, given, user=user))

    def _nothing_arrives_any_more(self) -> bool:
        return time.monotonic() - self.began > WINDOW_SECONDS

    def _try(self, act: Callable[[], object]) -> None:
        """What is refused has moved meanwhile, or must wait: it is looked at again in the next round."""
        try:
            act()
        except NOT_NOW as error:
            self.refused.append(f"{type(error).__name__}: {error}")


def _key_of(case: Case) -> str:
    """The ledger key of the effect that a case is about: the ledger's, or the lost line's."""
    action = Action.objects.filter(pk=case.action_id).first() if case.action_id else None
    if action is not None:
        return bytes(action.key).hex()
    line = MissingLine.objects.filter(attempt_id=case.facts.get("attempt")).first()
    return str(line.line["key"]) if line is not None else ""


def _approve(request: ApprovalRequest, user: User) -> None:
    read_and_decide(request, user)


def _settle(line: MissingLine, there: bool, user: User) -> None:
    became = "happened" if there else "did_not_happen"
    settling.settle(line.pk, became=became, reason="I looked", user=user)


def _lift(stop: Stop, one: User, other: User) -> None:
    proposed = stop.liftings.filter(ended="").first() or liftings.propose(
        stop.pk, why="all is found out", per_minute=FASTEST, actor=_proven(one)
    )
    liftings.confirm(proposed.pk, actor=_proven(other))


def _proven(user: User) -> Actor:
    return Actor.person(user, Proof(BY_COMMAND, timezone.now()))
