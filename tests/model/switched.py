"""For each rule of the model: where it is seen to be needed, and what goes wrong without it."""

from dataclasses import replace
from typing import Final

from tests.model import tools
from tests.model.checker import Found, explore
from tests.model.committing import PROMOTES
from tests.model.rules import Rules
from tests.model.surroundings import CANCELS, CUTS, JUMPS, STOPS
from tests.model.tools import Tool
from tests.model.turns import Model

TWICE = "there are more effects of one key than its class of tools allows"
STALE = "a stale write was accepted"
UNTOLD = "the ledger says no, the world says yes, and nobody is told"

# Rule: class of tools, what may happen besides, and the sentence of the invariant that breaks.
WITHOUT: Final[dict[str, tuple[Tool, tuple[str, ...], str]]] = {
    "fence": (tools.NOTHING, (CUTS,), STALE),
    "holder": (tools.NOTHING, (PROMOTES,), STALE),
    "head": (tools.NOTHING, (), "the head was moved by who stood elsewhere"),
    "stop": (tools.NOTHING, (STOPS,), "an intent was committed while effects were stopped"),
    "cancelled": (
        tools.NOTHING,
        (CANCELS,),
        "an intent was committed after somebody asked to cancel",
    ),
    "evidence": (tools.NOTHING, (), "an intent was committed after evidence"),
    "proven": (tools.LOOK_UP, (), TWICE),
    "use_up": (tools.NOTHING, (), TWICE),
    "fresh_yes": (tools.NOTHING, (), TWICE),
    "approved": (tools.NOTHING, (), "an intent was committed without an approval"),
    "deadline": (tools.LOOK_UP, (), TWICE),
    "window": (tools.LOOK_UP, (), TWICE),
    "judged_first": (tools.LOOK_UP, (), TWICE),
    "own_clock": (tools.LOOK_UP, (JUMPS,), TWICE),
    "void_no": (tools.VOID, (), UNTOLD),
    "first_refusal": (tools.VOID, (), UNTOLD),
    "remembered": (tools.KEYED, (), TWICE),
    "remembered_at_dispatch": (tools.KEYED, (), TWICE),
    "locks_in_flight": (tools.UNLOCKED, (), TWICE),
    "late_verdict": (tools.LOOK_UP, (), UNTOLD),
    "wakes": (tools.NOTHING, (), "a run waits for an answer that is there"),
    "reconcile_first": (
        tools.NOTHING,
        (CANCELS,),
        "the run has ended with an intent that nobody reconciled",
    ),
    "late_evidence": (
        tools.NOTHING,
        (),
        "there is evidence against what the ledger says, and nobody is told",
    ),
    "ended": (tools.NOTHING, (), "a run that had ended went on"),
}


def without(rule: str) -> Found:
    """What the checker finds when this one rule is switched off."""
    tool, extras, _ = WITHOUT[rule]
    return explore(Model(tool, replace(Rules(), **{rule: False}), frozenset(extras)))
