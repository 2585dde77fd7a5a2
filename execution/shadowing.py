"""Shadow runs: an effect stops at its dry run. Nobody is asked for it, and nothing is ever sent.

What comes after it is only worth comparing while the run goes on from what its live run went on from:
where that has the same effect, be it in other words, and it happened, its outcome is borrowed. Else the
shadow ends.
"""

from datetime import datetime, timedelta
from typing import Final, NoReturn

from django.db import Error as DatabaseFault
from django.db import transaction

from approvals import clock, judging
from approvals.errors import DamagedRequestError
from approvals.models import ApprovalRequest
from approvals.people import reversibility
from approvals.requests import Question
from canonical import json as canonical
from checkpoints import events, states
from checkpoints.commits import Committed, Lease
from checkpoints.headers import Ancestry, Step
from checkpoints.models import Run, ShadowDryRun
from execution.errors import Ending, Finish, Hold, Suspend, TryLater
from execution.forks import keys
from execution.forks.reusing import LONGEST_WAIT, SHORTEST_WAIT, Taking
from execution.work import WORKER, Work
from reconciliation import asking, calls, ledger, sensitive, wordings
from reconciliation import states as world
from reconciliation.doors import reading as doors
from reconciliation.errors import AboveRungError, ForbiddenEffectError
from reconciliation.models import Action
from reconciliation.tools import Wording
from tenants.keys import hiding
from tenants.keys.errors import KeysError

BORROWED: Final = "borrowed"
STOPS_HERE: Final = "A shadow: it stops at its dry run."
DRY_RUN_TRIES: Final = 4
DOOR_WAIT: Final = timedelta(minutes=1)


def is_shadow(run: Run) -> bool:
    """Whether nothing of this run may be asked for or sent. Whatever is not live is."""
    return run.mode != states.LIVE_MODE


def try_out(work: Work, action: Action) -> Action:
    """Make the dry run of a shadow's effect; the effect of the live run whose outcome it borrows.

    Raises `Suspend` while that is open, and `Finish` when there is none that happened.
    """
    live = live_run(work.run)
    if live is None:
        _end(action, "It is the shadow of no run")
    theirs = newest_of(live, action)
    if not ShadowDryRun.objects.filter(pk=action.pk).exists():
        _keep(action, _seen(work, action), theirs)
    if theirs is None and live.status in states.FINAL:
        _end(action, "The live run ended without this effect")
    if theirs is None:
        raise _wait_for(live, action.proposed_at)
    if keys.differs(action, theirs) and not _only_words(live, action, theirs):
        _end(action, "The live run asked for another effect here")
    if theirs.stands != world.SETTLED:
        raise _wait_for(live, theirs.proposed_at)
    if theirs.outcome != world.HAPPENED:
        said = theirs.outcome.replace("_", " ")
        _end(action, f"The effect of the live run came to nothing ({said})")
    _settle(action)
    return theirs


def borrowing(action: Action, lent: Action) -> Taking:
    """The node takes in what became of the live run's effect, as if it were its own."""

    def through(lease: Lease, before: Ancestry, step: Step) -> Committed:
        with transaction.atomic():
            committed = ledger.absorb(lease, before, step, action)
            told = hiding.texts(outcome=lent.outcome, effect=lent.describe)
            events.append(lease.run_id, BORROWED, WORKER, action=lent.pk, run=lent.run_id, **told)
        return committed

    return Taking(f"{BORROWED}:{lent.outcome}", through)


def ending(run: Run, how: Ending) -> Ending:
    """How a turn ends: a shadow is never held and waits for nobody. What would be asked ends it."""
    if not is_shadow(run):
        return how
    if isinstance(how, Hold):
        how = Finish(states.FAILED, states.SHADOW_TROUBLE, str(how.trouble.sentence))
    elif isinstance(how, Suspend) and how.reason == states.FOR_APPROVAL:
        how = Finish(states.FAILED, states.SHADOW_TROUBLE, "It would have asked for an approval.")
    if isinstance(how, Finish):
        _withdraw(run)
    return how


def has_seen(run: Run) -> bool:
    """Whether a shadow has made the dry run of its open effect: it looks at the world no more."""
    if not is_shadow(run):
        return False
    action = ledger.open_action(run.pk)
    return action is not None and ShadowDryRun.objects.filter(pk=action.pk).exists()


def live_run(run: Run) -> Run | None:
    """The live run that a shadow stands beside."""
    return Run.objects.filter(twins__run=run).defer("input").first()


def newest_of(live: Run, action: Action) -> Action | None:
    """The live run's effect of the same identity: its node, and which proposal of that node it is."""
    same = Action.objects.filter(run=live, node=action.node, ordinal=action.ordinal)
    return same.select_related("tenant", "run").order_by("-generation", "-proposed_seq").first()


def _seen(work: Work, action: Action) -> Question:
    """The dry run, made now. A door is asked and is told nothing: what a shadow meets closes none."""
    door = doors.of_tool(action.tenant_id, action.tool)
    if door is not None and door.keeps_out(action):
        raise Suspend(states.FOR_RETRY, doors.sentence(door), clock.now() + DOOR_WAIT)
    try:
        return asking.question(action)
    except AboveRungError as refusal:
        _end(action, f"Its dry run was not made ({refusal})")
    except ForbiddenEffectError as error:
        raise Finish(states.FAILED, states.FORBIDDEN_EFFECT, str(error)) from error
    except (KeysError, DatabaseFault):
        raise
    except Exception as error:
        said = str(hiding.text(f"{type(error).__name__}: {error}").first(400))
        unseen = f"It cannot be seen what “{action.describe}” would change ({said})."
        failures = Run.objects.values_list("node_failures", flat=True).get(id=work.run.id)
        if failures < DRY_RUN_TRIES:
            raise TryLater(f"{unseen} Tried again by itself.", float(2**failures)) from error
        raise Finish(states.FAILED, states.SHADOW_TROUBLE, unseen) from error


def _keep(action: Action, asked: Question, theirs: Action | None) -> None:
    """Once: whoever takes the run over after a crash goes on with the dry run that was made first."""
    ShadowDryRun.objects.bulk_create(
        [
            ShadowDryRun(
                action_id=action.pk,
                run_id=action.run_id,
                tenant_id=action.tenant_id,
                reversibility=reversibility.class_of(action.tenant_id, action.tool),
                diff=asked.diff,
                media=asked.media,
                diff_digest=asked.bound.diff_digest,
                resources=dict(asked.bound.resources),
                before=theirs is None or theirs.stands == world.PROPOSED,
            )
        ],
        ignore_conflicts=True,
    )


def _only_words(live: Run, action: Action, theirs: Action) -> bool:
    """Whether the live run did the same and said it otherwise: what became of it tells as much.

    Raises `Suspend` while its dry run is still being made.
    """
    if action.tool != theirs.tool:
        return False
    wording = calls.wordings().get(action.tool, Wording())
    given = [canonical.loads(sensitive.parameters(each)) for each in (theirs, action)]
    mine = ShadowDryRun.objects.values_list("diff_digest", flat=True).get(pk=action.pk)
    first = ApprovalRequest.objects.filter(action_id=theirs.pk).order_by("revision").first()
    if first is None and theirs.stands == world.PROPOSED:
        raise _wait_for(live, theirs.proposed_at)
    return wordings.only_words(wordings.differing(*given), wording, diffs=(mine, _seen_by(first)))


def _seen_by(first: ApprovalRequest | None) -> str:
    """The digest of what the first question showed; "" of none, and of one that was changed since."""
    try:
        return "" if first is None else judging.bound_of(first).diff_digest
    except DamagedRequestError:
        return ""


def _wait_for(live: Run, since: datetime) -> Suspend:
    now = clock.now()
    # The sweeper wakes who waits; this is for when it does not.
    wait = min(max((now - since) / 10, SHORTEST_WAIT), LONGEST_WAIT)
    said = f"Made its dry run. Waits for what becomes of the effect in the live run {live.pk}."
    return Suspend(states.FOR_SAME_KEY, said, now + wait)


def _end(action: Action, because: str) -> NoReturn:
    said = f"{because}: the shadow ends at “{action.describe}”, of which nothing was sent."
    raise Finish(states.CANCELLED, states.SHADOW_ENDED, said)


def _withdraw(run: Run) -> None:
    action = ledger.open_action(run.pk)
    if action is not None:
        _settle(action)


def _settle(action: Action) -> None:
    """It did not happen, and cannot: nothing of a shadow is sent."""
    ledger.settle(
        action.run_id,
        action.pk,
        world.DID_NOT_HAPPEN,
        because=world.WITHDRAWN,
        note=hiding.text(STOPS_HERE),
    )
