"""Releases in words: where one stands, what a move leads to, what follows when it is made."""

from collections.abc import Mapping
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from checkpoints.arms import PLACES
from checkpoints.models import Route
from releases.gates import standing, verdicts
from releases.models import Move, Release

# `pill` knows a stop of another kind under "stopped".
PILLS: Final = {place: place for place in standing.PLACES} | {standing.STOPPED: "release_stopped"}
FOLLOWS: Final[Mapping[str, Promise]] = {
    standing.BEGIN: gettext_lazy(
        "Shadow: twins of live runs try it, and nothing of theirs is sent"
    ),
    standing.WIDEN: gettext_lazy("Canary: it gets the share of new runs that stands below"),
    standing.PROMOTE: gettext_lazy("Stable: every new run gets it"),
    standing.STOP: gettext_lazy("Stop: no new run gets it from here on; its runs go on"),
    standing.LIFT: gettext_lazy("Lift: it begins again, as a shadow"),
    standing.ROLL_BACK: gettext_lazy("Roll back: what was stable before is stable again"),
}
DONE: Final[Mapping[str, Promise]] = {
    standing.BEGIN: gettext_lazy("became a shadow"),
    standing.WIDEN: gettext_lazy("became a canary"),
    standing.PROMOTE: gettext_lazy("became stable"),
    standing.STOP: gettext_lazy("was stopped"),
    standing.LIFT: gettext_lazy("was lifted, and is a shadow again"),
    standing.ROLL_BACK: gettext_lazy("was rolled back"),
}
VERDICTS: Final[Mapping[str, Promise]] = {
    verdicts.PROMOTE_ALLOWED: gettext_lazy("a promotion is allowed"),
    verdicts.HOLD: gettext_lazy("hold"),
    verdicts.STOP: gettext_lazy("stop"),
}


def percent(share: int) -> str:
    """ "12.5 %" of a share of `arms.PLACES`."""
    return f"{share * 100 / PLACES:g} %"


def shares(route: Route) -> tuple[str, str]:
    """What the candidate of a route gets of all runs, and of the critical ones."""
    return percent(route.share), percent(route.share_of_critical)


def follows(kind: str) -> str:
    """What is the case after such a move."""
    return str(FOLLOWS[kind])


def sentence(release: Release) -> str:
    """What new runs get because of it, now."""
    if release.place == standing.CANARY:
        told = {
            "share": percent(release.share),
            "critical": percent(release.share_of_critical),
        }
        return _("It gets %(share)s of the new runs, and %(critical)s of the critical ones.") % told
    if release.place == standing.STABLE:
        return _("New runs got it from then on.")
    if release.place == standing.STOPPED:
        return _("No new run gets it. It comes back as a shadow only, when a person lifts it.")
    return _("No new run gets it yet.")


def of_move(move: Move) -> str:
    """Where a move leads, with its shares."""
    if move.kind != standing.WIDEN:
        return follows(move.kind)
    told = {"share": percent(move.share), "critical": percent(move.share_of_critical)}
    return (
        _("Canary: %(share)s of the new runs get it, and %(critical)s of the critical ones") % told
    )


def button(move: Move) -> str:
    """What the button of the open move says it does."""
    if move.kind == standing.WIDEN:
        return _("Send it %(share)s of the runs") % {"share": percent(move.share)}
    return {
        standing.BEGIN: _("Make it a shadow"),
        standing.PROMOTE: _("Make it stable for every new run"),
        standing.STOP: _("Stop it"),
        standing.LIFT: _("Lift it as a shadow"),
    }[move.kind]


def became(move: Move) -> str:
    """What a made move did, for the line of its moves."""
    said = str(DONE[move.kind])
    if move.kind == standing.WIDEN:
        return f"{said}: {percent(move.share)} / {percent(move.share_of_critical)}"
    return said


def ended(move: Move) -> str:
    """What became of a move that is over: made, or not."""
    if move.ended == "made":
        return became(move)
    told = {"what": of_move(move)}
    if move.ended == "withdrawn":
        return _("was taken back: %(what)s") % told
    return _("was not made in time: %(what)s") % told


def of_look(number: int, verdict: str) -> str:
    """ "look 3: a promotion is allowed"."""
    return _("look %(n)d: %(said)s") % {"n": number, "said": VERDICTS[verdict]}
