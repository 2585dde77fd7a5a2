"""The words of a forecast."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from execution.forecasts import judging
from execution.forecasts.judging import Foreseen
from execution.forecasts.transitions import CANCEL, FORK, GO_ON_FROM, RESUME, Transition
from reconciliation import states as world

Counted = Callable[[int], str]


def _said(one: str, many: str) -> Counted:
    return lambda n: ngettext(one, many, n) % {"n": n}


# In the order in which a sentence names them.
PARTS: Final[dict[str, Counted]] = {
    judging.UNKNOWN: _said("%(n)d is not known", "%(n)d are not known"),
    judging.SENT: _said("%(n)d approved effect is sent", "%(n)d approved effects are sent"),
    judging.NEEDS_APPROVAL: _said("%(n)d needs an approval", "%(n)d need an approval"),
    judging.WAITED_FOR: _said("%(n)d is waited for", "%(n)d are waited for"),
    judging.REUSED: _said("%(n)d is reused", "%(n)d are reused"),
    judging.NEVER_SENT: _said("%(n)d is never sent", "%(n)d are never sent"),
    judging.STANDS: _said("%(n)d stands", "%(n)d stand"),
}
TITLES: Final[dict[str, Counted]] = {
    judging.UNKNOWN: _said(
        "Unknown: what became of %(n)d effect", "Unknown: what became of %(n)d effects"
    ),
    judging.SENT_AGAIN: _said(
        "Sent again: %(n)d effect that did not happen",
        "Sent again: %(n)d effects that did not happen",
    ),
    judging.SENT: _said("Sent: %(n)d approved effect", "Sent: %(n)d approved effects"),
    judging.NEEDS_APPROVAL: _said(
        "Needs an approval first: %(n)d effect", "Need an approval first: %(n)d effects"
    ),
    judging.WAITED_FOR: _said(
        "Waited for: %(n)d effect of another run", "Waited for: %(n)d effects of other runs"
    ),
    judging.REUSED: _said("Reused, not sent: %(n)d effect", "Reused, not sent: %(n)d effects"),
    judging.NEVER_SENT: _said("Never sent: %(n)d effect", "Never sent: %(n)d effects"),
    judging.STANDS: _said("Stands as it is: %(n)d effect", "Stand as they are: %(n)d effects"),
}


def sentence(transition: Transition, counts: Mapping[str, int]) -> str:
    """ "Resume: 0 effects sent again, 1 needs an approval."""
    again = counts[judging.SENT_AGAIN]
    parts = [ngettext("%(n)d effect sent again", "%(n)d effects sent again", again) % {"n": again}]
    parts += [PARTS[kind](counts[kind]) for kind in PARTS if counts[kind]]
    return _("%(what)s: %(parts)s.") % {"what": name(transition), "parts": ", ".join(parts)}


def name(transition: Transition) -> str:
    """What is done, in a word or two."""
    names = {
        RESUME: _("Resume"),
        GO_ON_FROM: _("Go on from checkpoint %(seq)s"),
        CANCEL: _("Cancel"),
        FORK: _("Fork from checkpoint %(seq)s"),
    }
    return names[transition.how] % {"seq": transition.seq}


def title(kind: str, count: int) -> str:
    """The heading of the effects of one kind."""
    return TITLES[kind](count)


def why(foreseen: Foreseen, how: str, *, is_mine: bool) -> str:
    """Why this becomes of an effect, in one sentence."""
    told = {
        (judging.UNKNOWN, "out"): _out(how),
        (judging.UNKNOWN, "unsettled"): _(
            "It was sent, and it is not settled yet. That comes first."
        ),
        (judging.SENT_AGAIN, "absent"): _(
            "Each call so far is proven to have had no effect, and its approval still holds."
        ),
        (judging.SENT, "approved"): _("It was never sent. Its approval still holds."),
        (judging.NEEDS_APPROVAL, judging.PENDING): _("Its question is open."),
        (judging.NEEDS_APPROVAL, "not_asked"): _("Nobody was asked yet."),
        (judging.NEEDS_APPROVAL, judging.OVER): _("Its approval does not hold any more."),
        (judging.NEEDS_APPROVAL, "given_up"): _(
            "It was never sent. This question is withdrawn; proposed again, it is a new one."
        ),
        (judging.NEEDS_APPROVAL, "came_to_nothing"): _(
            "It came to nothing. Proposed again, it is a new effect with a question of its own."
        ),
        (judging.NEEDS_APPROVAL, "on_purpose"): _(
            "It happened already and is done again on purpose; a person has to approve that."
        ),
        (judging.NEEDS_APPROVAL, "undone"): _(
            "It happened and was undone since; a person has to approve it anew."
        ),
        (judging.NEVER_SENT, "cancelled"): _("It was never sent, and its question is withdrawn."),
        (judging.NEVER_SENT, "declined"): _("People said no, or nobody answered in time."),
        (judging.STANDS, world.WRITTEN_OFF): _("Nobody can know whether it happened."),
        (judging.REUSED, world.WRITTEN_OFF): _(
            "Nobody can know whether it happened; the node hears that, and nothing is sent."
        ),
    }
    return told.get((foreseen.kind, foreseen.why)) or _by_kind(foreseen.kind, is_mine=is_mine)


def unforeseen(transition: Transition, nodes: Sequence[str]) -> tuple[str, ...]:
    """What no forecast can say: nodes that run may propose anything."""
    if transition.how == CANCEL:
        return ()
    if not nodes:
        return (_("No node that may still run can propose an effect."),)
    told = ngettext(
        "What the node %(nodes)s proposes when it runs cannot be foreseen. If it proposes one of these"
        " effects with other parameters, the run is held and nothing is sent; what is new is asked about as"
        " the rules demand.",
        "What the nodes %(nodes)s propose when they run cannot be foreseen. If they propose one of these"
        " effects with other parameters, the run is held and nothing is sent; what is new is asked about as"
        " the rules demand.",
        len(nodes),
    )
    return (told % {"nodes": ", ".join(nodes)},)


def _out(how: str) -> str:
    if how in (GO_ON_FROM, FORK):
        return _("It was sent and nobody knows what became of it. Nothing goes past it before.")
    return _("It was sent. What became of it is found out first; it is not sent again blindly.")


def _by_kind(kind: str, *, is_mine: bool) -> str:
    if kind == judging.REUSED:
        return _("It happened. Proposed again with the same parameters, its answer is taken over.")
    if kind == judging.WAITED_FOR:
        return _("Another run of this lineage is at it; this one waits for what becomes of that.")
    if kind == judging.NEVER_SENT:
        return _("It came to nothing; the node hears that.")
    return _("It happened, and stays.") if is_mine else _("It happened in another run, and stays.")
