"""A policy in words: what happens by itself, who orders what, how it is judged; and what differs."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from checkpoints.arms import PLACES
from releases.charts import wording
from releases.gates import policies
from releases.gates.policies import Demand, Policy

PERCENT: Final = 100
OF_ITSELF: Final[Mapping[str, Promise]] = {
    policies.PROPOSE: gettext_lazy("It stops; a rollback is planned, and a person orders it"),
    policies.ROLL_BACK: gettext_lazy("It stops and rolls back by itself, once"),
}
ORDER: Final[Mapping[int, Promise]] = {
    1: gettext_lazy("One person; two where it is stable already"),
    2: gettext_lazy("Two people, always"),
}


@dataclass(frozen=True)
class Line:
    """One thing that a policy says; `key` is the same in every policy."""

    key: str
    title: str
    says: str


@dataclass(frozen=True)
class Change:
    """One thing that two policies say differently."""

    title: str
    before: str
    after: str


def switches(policy: Policy) -> list[Line]:
    """What a release does by itself, and who does the rest."""
    twins = policy.shadows
    told = {"share": _places(twins.share), "canary": _places(twins.share_of_canary)}
    shadows = (
        _("%(share)s of the live runs while it is a shadow, %(canary)s beside a canary") % told
    )
    drills = _("The worker of %(share)s of the twins is killed once") % {
        "share": _places(twins.drills)
    }
    return [
        Line("on_stop", _("When a gate finds it worse"), str(OF_ITSELF[policy.on_stop])),
        Line(
            "on_unsafe",
            _("When a safety constraint is broken"),
            str(OF_ITSELF[policy.on_unsafe]),
        ),
        Line(
            "roll_back_people",
            _("A rollback is ordered by"),
            str(ORDER[policy.roll_back_people]),
        ),
        Line("twins", _("Shadow twins"), shadows),
        Line("drills", _("Shadow drills"), drills),
        Line("at_once", _("Twins at work at a time"), _("At most %(n)d") % {"n": twins.at_once}),
    ]


def thresholds(policy: Policy) -> list[Line]:
    """When it is judged, and by how much each measure may be worse."""
    looks = ", ".join(f"{each:,}" for each in policy.looks)
    ended = _("Once %(looks)s runs of the candidate have ended, and never between") % {
        "looks": looks
    }
    unread = _("Up to %(share)s; of more, nothing is judged") % {
        "share": percent(policy.most_unread)
    }
    error = _("%(share)s, over all looks of a measure together") % {"share": percent(policy.error)}
    alarm = _("%(share)s, of calling arms not comparable that are") % {
        "share": percent(policy.ratio_error)
    }
    return [
        Line("looks", _("Looks"), ended),
        Line("error", _("Chance of a wrong verdict"), error),
        Line("most_unread", _("Facts that may be missing"), unread),
        Line("ratio_error", _("Chance of a false alarm about the shares"), alarm),
        *(
            Line(name, str(words.title), demand(name, policy.demands.get(name)))
            for name, words in wording.MEASURES.items()
        ),
    ]


def demand(name: str, demand: Demand | None) -> str:
    """What is demanded of a measure: how much worse it may be, judged from how many on."""
    if demand is None:
        return _("Not judged")
    told = {
        "margin": percent(demand.margin),
        "points": number(demand.margin),
        "least": f"{demand.least:,}",
        "trials": str(wording.MEASURES[name].trials),
        "seconds": ngettext("%(n)d second", "%(n)d seconds", demand.within_seconds)
        % {"n": demand.within_seconds},
    }
    if name == policies.DUPLICATES:
        return _("None may; judged once there are %(least)s %(trials)s") % told
    if name == policies.DIVERGENCE:
        return _("At most %(margin)s; judged once there are %(least)s %(trials)s") % told
    if name == policies.COST:
        return _("At most %(margin)s more; judged once there are %(least)s %(trials)s") % told
    if name == policies.RECOVERY_DURATION:
        said = _(
            "In time is within %(seconds)s. At most %(points)s points worse; judged once there are"
            " %(least)s %(trials)s"
        )
        return said % told
    return _("At most %(points)s points worse; judged once there are %(least)s %(trials)s") % told


def differences(before: Policy | None, after: Policy | None) -> list[Change]:
    """What differs between two policies, in the order in which they are told.

    None is one that cannot be read: of that everything differs.
    """
    old, new = _said(before), _said(after)
    known = {**old, **new}
    return [
        Change(known[key].title, _says(old, key), _says(new, key))
        for key in known
        if _says(old, key) != _says(new, key)
    ]


def _said(policy: Policy | None) -> dict[str, Line]:
    lines = [] if policy is None else [*switches(policy), *thresholds(policy)]
    return {line.key: line for line in lines}


def _says(lines: Mapping[str, Line], key: str) -> str:
    return lines[key].says if key in lines else _("cannot be read")


def percent(share: float) -> str:
    """ "5 %" of a share of 1, all its digits."""
    return f"{number(share)} %"


def number(share: float) -> str:
    """The number of a share of 1 in percent or points: "5", "0.1"; all its digits."""
    return f"{(Decimal(repr(share)) * PERCENT).normalize():f}"


def _places(share: int) -> str:
    return percent(share / PLACES)
