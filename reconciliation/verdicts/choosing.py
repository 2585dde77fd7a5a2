"""Which verdicts a case can get, by its kind and by how things stand; what each one does."""

from typing import Final

from django.utils.translation import gettext_lazy as _

from checkpoints import states
from checkpoints.models import Case, Run
from checkpoints.registry import agents
from reconciliation import states as world
from reconciliation.behind import restoring, settling
from reconciliation.models import Action, Receipt
from reconciliation.verdicts import compensating
from reconciliation.verdicts.amending import OTHER_PARAMETERS
from reconciliation.verdicts.terms import Choice

HAPPENED = Choice(
    states.IT_HAPPENED,
    _("It happened"),
    _("The run goes on as if the answer had arrived. Nothing is sent."),
    needs_evidence=True,
)
AGAIN = Choice(
    states.SEND_AGAIN,
    _("It did not happen: ask to send it again"),
    _("A new approval is asked for. Nothing is sent before somebody else says yes."),
    needs_evidence=True,
)
DID_NOT = Choice(
    states.IT_DID_NOT,
    _("It did not happen: go on without it"),
    _("The run hears that it did not happen. Nothing is sent."),
    needs_evidence=True,
)
UNDO = Choice(
    states.COMPENSATE,
    _("It happened, and is to be undone"),
    _(
        "A run that undoes it starts, and asks for an approval of its own. Nothing is sent before"
        " somebody else says yes."
    ),
    needs_evidence=True,
)
WRITE_OFF = Choice(
    states.WRITE_OFF,
    _("Nobody can know: write it off"),
    _("The run goes on, and the ledger says that nobody knows. Nothing is sent."),
)
WRITE_OFF_AND_STOP = Choice(
    states.WRITE_OFF_AND_STOP,
    _("Nobody can know: write it off and end the run"),
    _("The run ends, and the ledger says that nobody knows. Nothing is sent."),
)
ASK = Choice(
    states.LOOK_UP_AGAIN,
    _("Ask the tool again"),
    _("The engine looks it up once more. Nothing is sent."),
)
TRY = Choice(
    states.TRY_AGAIN,
    _("Try again"),
    _("The run goes on from its last checkpoint. Nothing that was sent is sent again."),
)
BACK = Choice(
    states.GO_ON_FROM,
    _("Go on from an earlier checkpoint"),
    _("A new checkpoint takes the state of the one you name; later ones stay as they are."),
    needs_seq=True,
)
CANCEL = Choice(
    states.CANCEL,
    _("Cancel the run"),
    _("The run ends. What it sent stands; what is not sent is never sent."),
)
ALL_STAND = Choice(
    states.IT_STANDS,
    _("All that is there stands"),
    _("The run goes on with it. Nothing more is sent for this effect, and nothing is undone."),
    needs_evidence=True,
)
ONLY_ONE = Choice(
    states.ONLY_ONE,
    _("It is there only once"),
    _("The run goes on with the one. Nothing more is sent for this effect."),
    needs_evidence=True,
)
LEDGER_STANDS = Choice(
    states.IT_STANDS,
    _("The ledger is right: it stands as it is"),
    _("The ledger keeps what it says, and the run goes on from there. Nothing is sent."),
    needs_evidence=True,
)
NOW_HAPPENED = Choice(
    states.IT_HAPPENED,
    _("It happened: the ledger says so from now on"),
    _("The run goes on from where it stands. What it did since stays as it is. Nothing is sent."),
    needs_evidence=True,
)
NOW_DID_NOT = Choice(
    states.IT_DID_NOT,
    _("It did not happen: the ledger says so from now on"),
    _("The run goes on from where it stands. What it did since stays as it is. Nothing is sent."),
    needs_evidence=True,
)
HEAR_IT_NOW = Choice(
    states.GO_ON_FROM,
    _("Go back to before the run heard otherwise"),
    _(
        "The ledger says that it happened, and the run hears so when it comes to this effect again."
        " What was sent is not sent again: the same effect is taken from the ledger."
    ),
    needs_seq=True,
)
ARRIVED = Choice(
    states.IT_HAPPENED,
    _("It reached the world"),
    _("The ledger says that it happened, and the run goes on from there. Nothing is sent."),
    needs_evidence=True,
)
NEVER_ARRIVED = Choice(
    states.IT_DID_NOT,
    _("It did not reach the world: go on without it"),
    _("The run hears that it did not happen. Nothing is sent."),
    needs_evidence=True,
)
PUT_BACK = Choice(
    states.IT_HAPPENED,
    _("It reached the world"),
    _("It is put back into the ledger from the journal; the run goes on with it. Nothing is sent."),
    needs_evidence=True,
)
PROPOSE_ANEW = Choice(
    states.IT_DID_NOT,
    _("It did not reach the world"),
    _("The run goes on, and may propose it anew. Nothing is sent before somebody says yes."),
    needs_evidence=True,
)

CHOICES: Final[dict[str, tuple[Choice, ...]]] = {
    states.OUTCOME_UNKNOWN: (HAPPENED, AGAIN, DID_NOT, UNDO, WRITE_OFF, WRITE_OFF_AND_STOP, ASK),
    states.DUPLICATE_EFFECT: (ALL_STAND, ONLY_ONE, UNDO, CANCEL),
    states.CONTRADICTED: (
        NOW_HAPPENED, NOW_DID_NOT, HEAR_IT_NOW, UNDO, LEDGER_STANDS, WRITE_OFF, CANCEL,
    ),
    states.RECORD_BEHIND: (ARRIVED, NEVER_ARRIVED, WRITE_OFF, WRITE_OFF_AND_STOP),
    states.DAMAGED_CHECKPOINT: (BACK, TRY, CANCEL),
    states.MISSING_BLOB: (BACK, TRY, CANCEL),
    states.UNMIGRATABLE: (TRY, CANCEL),
    states.CRASH_LOOP: (TRY, BACK, CANCEL),
    states.INVALID_OUTPUT: (TRY, BACK, CANCEL),
    states.WORLD_CHANGED: (TRY, BACK, CANCEL),
    states.CREDENTIAL_INVALID: (TRY, CANCEL),
}  # fmt: skip
# Of a case about no effect there is nothing to say of the world. A run whose record has lost an
# effect altogether would propose it again: it can only end, unless the journal has enough of it.
WITHOUT_EFFECT: Final = (TRY, BACK, CANCEL)
LOST_WHOLE: Final = (CANCEL,)
FROM_JOURNAL: Final = (PUT_BACK, PROPOSE_ANEW, CANCEL)
# A run that has ended goes nowhere: what is said of the world can still be said.
OF_LIVE_RUNS: Final = frozenset(
    {states.TRY_AGAIN, states.GO_ON_FROM, states.CANCEL, states.SEND_AGAIN, states.LOOK_UP_AGAIN}
)
ABOUT_EFFECTS: Final = (
    states.OUTCOME_UNKNOWN,
    states.DUPLICATE_EFFECT,
    states.CONTRADICTED,
    states.RECORD_BEHIND,
)


def choices(case: Case) -> tuple[Choice, ...]:
    """The verdicts this case can get now, by what its tool can do at best.

    The tool is not asked: a page never waits for the outside world, and the run may be locked.
    """
    action = action_of(case)
    found = CHOICES[case.kind]
    if case.kind in ABOUT_EFFECTS:
        if action is None or case.facts.get("error") == OTHER_PARAMETERS:
            found = _lost_whole(case) if case.kind == states.RECORD_BEHIND else WITHOUT_EFFECT
        else:
            found = tuple(each for each in found if _fits(case, action, each))
    if Run.objects.filter(pk=case.run_id, status__in=states.FINAL).exists():
        found = tuple(each for each in found if each.verdict not in OF_LIVE_RUNS)
    return found


def label_of(case: Case, verdict: str) -> str:
    """The words of a verdict that a case like this one may have got."""
    known = {each.verdict: each.label for each in (*WITHOUT_EFFECT, *CHOICES[case.kind])}
    return str(known.get(verdict, verdict.replace("_", " ")))


def _lost_whole(case: Case) -> tuple[Choice, ...]:
    line = settling.of_case(case)
    return FROM_JOURNAL if line is not None and restoring.can(line) else LOST_WHOLE


def action_of(case: Case) -> Action | None:
    """The action a case is about, without its parameters."""
    if case.action_id is None:
        return None
    return Action.objects.defer("parameters").filter(pk=case.action_id).first()


def _fits(case: Case, action: Action, choice: Choice) -> bool:
    if choice.verdict == states.LOOK_UP_AGAIN:
        return _can_be_asked(action)
    if choice.verdict == states.COMPENSATE:
        return compensating.declared(action.tool) is not None
    if case.kind == states.CONTRADICTED:
        return _fits_contradicted(action, choice.verdict)
    return True


def _fits_contradicted(action: Action, verdict: str) -> bool:
    """What the ledger may be made to say: never that what a tool told of did not happen."""
    happened = action.outcome == world.HAPPENED
    if verdict in (states.IT_HAPPENED, states.GO_ON_FROM):
        return not happened
    if verdict in (states.IT_DID_NOT, states.WRITE_OFF):
        return happened and not is_told_by_tool(action)
    return True


def is_told_by_tool(action: Action) -> bool:
    """Whether anything but a person's word says that it happened."""
    told = Receipt.objects.filter(action_id=action.pk).exclude(source__in=["person", "refusal"])
    return told.exists()


def _can_be_asked(action: Action) -> bool:
    if action.tool not in agents().TOOLS:
        return False
    able = agents().TOOLS[action.tool].capabilities
    return able.look_up or able.keyed is not None
