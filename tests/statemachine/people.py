"""What people do in the machine, by the engine's own verbs. What is refused them changes nothing."""

from contextlib import suppress
from uuid import uuid4

from approvals import decisions
from approvals import states as permission
from approvals.errors import ApprovalError
from approvals.models import ApprovalRequest
from checkpoints import revoking, runs, stops
from checkpoints.errors import ForkMovedError, ForkRefusedError, IllegalMoveError
from checkpoints.models import Case, Run, Stop
from execution.forks import making
from reconciliation import verdicts
from reconciliation.errors import VerdictRefusedError
from reconciliation.models import Action
from reconciliation.verdicts import Given
from tenants.actors import Actor
from tenants.keys import hiding
from tests.checkpoints.lifts import lifted
from tests.engine.faketools import effects
from tests.engine.turns import Bench
from tests.opening import read_and_decide

TRUE_OF_WORLD = {
    True: (verdicts.IT_HAPPENED, verdicts.IT_HAPPENED, verdicts.LOOK_UP_AGAIN, verdicts.WRITE_OFF),
    False: (verdicts.SEND_AGAIN, verdicts.IT_DID_NOT, verdicts.LOOK_UP_AGAIN, verdicts.WRITE_OFF),
}
# Verdicts that need a checkpoint, or begin another run.
LEFT_OUT = (verdicts.GO_ON_FROM, verdicts.COMPENSATE)


def decide(bench: Bench, which: int, verdict: str) -> None:
    """The approver answers one of the open questions of the tenant."""
    request = _request(bench, which, permission.OPEN)
    if request is not None:
        with suppress(ApprovalError):
            read_and_decide(request, bench.approver, verdict)


def withdraw(bench: Bench, which: int) -> None:
    """Somebody takes a yes away that nothing has used."""
    request = _request(bench, which, permission.APPROVED)
    if request is not None:
        decisions.withdraw_approval(request.pk, actor=Actor.person(bench.starter), reason="no")


def give_a_verdict(bench: Bench, which: int, choice: int) -> None:
    """The approver looks at the world, and decides one of the open cases as it is there."""
    mine = Case.objects.filter(tenant=bench.tenant, decided_at=None, closed_at=None)
    cases = list(mine.order_by("opened_at"))
    if not cases:
        return
    case = cases[which % len(cases)]
    offered = [each.verdict for each in verdicts.choices(case) if each.verdict not in LEFT_OUT]
    action = Action.objects.filter(pk=case.action_id).first() if case.action_id else None
    wanted = TRUE_OF_WORLD[_is_there(action)] if action is not None else ()
    fitting = [each for each in wanted if each in offered] or offered
    given = Given(fitting[choice % len(fitting)], "looked", "in the world")
    with suppress(VerdictRefusedError, IllegalMoveError):
        verdicts.give(case.pk, given, user=bench.approver)


def cancel(bench: Bench, run: Run) -> None:
    runs.request_cancel(run.pk, why="enough", actor=Actor.person(bench.starter))


def revoke(bench: Bench, run: Run) -> None:
    revoking.revoke(run.pk, reason="too slow", actor=Actor.person(bench.starter))


def fork(bench: Bench, run: Run, seq: int) -> None:
    wanted = making.Wanted(reason=hiding.text("anew"), seq=seq, token=uuid4())
    with suppress(ForkRefusedError, ForkMovedError, IllegalMoveError):
        making.fork(run, wanted, actor=Actor.person(bench.starter))


def stop(bench: Bench) -> None:
    stops.stop(bench.tenant, "effects", why="incident", actor=Actor.machine("command line"))


def lift() -> None:
    """Two people lift what is stopped."""
    for each in Stop.objects.filter(lifted_at=None):
        lifted(each)


def _request(bench: Bench, which: int, state: str) -> ApprovalRequest | None:
    mine = ApprovalRequest.objects.filter(tenant=bench.tenant, state=state)
    found = list(mine.order_by("asked_at"))
    return found[which % len(found)] if found else None


def _is_there(action: Action) -> bool:
    return bool(effects(bytes(action.key).hex()))
