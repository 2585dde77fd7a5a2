"""Shadows in words: how twins compare, in one sentence and kind by kind."""

from collections.abc import Mapping
from typing import Any, Final

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from releases.gates import standing
from releases.models import Release
from releases.shadows import comparing
from releases.shadows.reading import Pair, Tally

IN_A_LINE: Final[Mapping[str, Promise]] = {
    comparing.DIFFERENT: gettext_lazy("%(n)d different effect"),
    comparing.EXTRA: gettext_lazy("%(n)d extra effect"),
    comparing.MISSING: gettext_lazy("%(n)d missing effect"),
    comparing.TROUBLE: gettext_lazy("%(n)d would need a person"),
    comparing.MOVED: gettext_lazy("%(n)d saw another world"),
    comparing.WORDS: gettext_lazy("%(n)d same effect in different words"),
    comparing.SAME: gettext_lazy("%(n)d same"),
}
MEANS: Final[Mapping[str, Promise]] = {
    comparing.DIFFERENT: gettext_lazy(
        "The candidate would have asked for something else than the live run did."
    ),
    comparing.EXTRA: gettext_lazy(
        "The candidate would have asked for an effect that the live run did not have."
    ),
    comparing.MISSING: gettext_lazy("The live run had an effect that the candidate left out."),
    comparing.TROUBLE: gettext_lazy(
        "The candidate failed, or came to what would have put a live run on hold."
    ),
    comparing.MOVED: gettext_lazy(
        "What both looked at had another version for each: this says nothing of the candidate."
    ),
    comparing.WORDS: gettext_lazy("Only texts for people differ: a message, a subject, a body."),
    comparing.SAME: gettext_lazy("The same effects with the same parameters."),
}
CLASSES: Final[Mapping[str, Promise]] = {
    "reversible": gettext_lazy("Reversible"),
    "compensable": gettext_lazy("Compensable"),
    "irreversible": gettext_lazy("Irreversible"),
}


def line(kinds: Mapping[str, int]) -> str:
    """ "212 twins: 198 same, 9 same effect in different words, 5 different effect." """
    compared = sum(kinds.values())
    if not compared:
        return _("No twin has been compared yet.")
    twins = ngettext("%(n)d twin", "%(n)d twins", compared) % {"n": compared}
    best_first = [kind for kind in reversed(comparing.KINDS) if kind in kinds]
    parts = ", ".join(str(IN_A_LINE[kind]) % {"n": kinds[kind]} for kind in best_first)
    return f"{twins}: {parts}."


def why_none(release: Release) -> str:
    """What has to be for twins to be there."""
    if release.place == standing.NEW:
        return _("Twins are started when it is a shadow.")
    if release.place in (standing.SHADOW, standing.CANARY):
        return _("A twin is started beside live runs of the stable combo, and compared at its end.")
    return _("It takes no more twins where it stands.")


def facts(tally: Tally) -> list[dict[str, Any]]:
    """The numbers beside the kinds."""
    found = [
        _fact(
            _("Twins"),
            _("%(all)d started, %(now)d under way")
            % {"all": tally.started, "now": tally.under_way},
        ),
        _fact(
            _("Along the same nodes"),
            _("%(n)d of %(of)d") % {"n": tally.same_path, "of": tally.compared},
        ),
        _fact(_("Tokens per run"), _beside(tally.tokens, 1, ""), _of(tally.tokens)),
        _fact(
            _("Until the first proposal, or the end"), _beside(tally.ms, 1000, " s"), _of(tally.ms)
        ),
        _fact(
            _("Drills"),
            _("%(n)d, of which %(struck)d struck") % {"n": tally.drills, "struck": tally.struck},
            _("The worker of a drill is killed once; the gates count how it comes back."),
        ),
    ]
    return [*found, *(_diverges(said, each) for said, each in tally.divergence.items())]


def _diverges(said: str, count: Any) -> dict[str, Any]:
    name = CLASSES.get(said, gettext_lazy("Of a class that nobody has said"))
    told = {"n": count.hits, "of": count.of}
    note = _("%(n)d could not be judged: the world moved") % {"n": count.unread}
    value = _("%(n)d of %(of)d effects diverge") % told
    return _fact(str(name), value, note if count.unread else "")


def _fact(label: str, value: str, note: str = "") -> dict[str, Any]:
    return {"label": label, "value": value, "note": note}


def _beside(pair: Pair, per: int, unit: str) -> str:
    if pair.twin is None or pair.live is None:
        return _("not known yet")
    told = {"twin": f"{pair.twin / per:.3g}{unit}", "live": f"{pair.live / per:.3g}{unit}"}
    return _("%(twin)s, of the live runs %(live)s") % told


def _of(pair: Pair) -> str:
    said = ngettext(
        "mean of %(n)d twin that came to its end",
        "mean of %(n)d twins that came to their end",
        pair.of,
    )
    return said % {"n": pair.of} if pair.of else ""
