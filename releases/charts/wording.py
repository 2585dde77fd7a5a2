"""The verdicts of gates in words, with the numbers behind them. Pure but for the language."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from releases.gates import policies, samples, verdicts
from releases.gates.assignment import Observed
from releases.gates.policies import Demand
from releases.gates.verdicts import Finding, Shown

POINTS: Final = 100
MINUS: Final = "\N{MINUS SIGN}"


@dataclass(frozen=True)
class Words:
    """A measure: its name, what it says, and what it counts."""

    title: Promise
    says: Promise
    trials: Promise


MEASURES: Final[Mapping[str, Words]] = {
    policies.RECOVERY_SUCCESS: Words(
        gettext_lazy("Recovered by itself"),
        gettext_lazy("Of the recoveries that began, those that no person had to end."),
        gettext_lazy("recoveries"),
    ),
    policies.RECOVERY_DURATION: Words(
        gettext_lazy("Recovered in time"),
        gettext_lazy("Of the recoveries noticed at least that long ago, those over in that time."),
        gettext_lazy("recoveries old enough"),
    ),
    policies.DUPLICATES: Words(
        gettext_lazy("Arrived twice"),
        gettext_lazy("Effects that the world has twice, of those that were looked up afterwards."),
        gettext_lazy("effects looked up"),
    ),
    policies.FAILURE: Words(
        gettext_lazy("Failed"),
        gettext_lazy("Of the runs that ended by themselves, those that failed."),
        gettext_lazy("runs that ended"),
    ),
    policies.HELD: Words(
        gettext_lazy("Needed a person"),
        gettext_lazy("Of the new runs, those that had a case or that no worker took."),
        gettext_lazy("new runs"),
    ),
    policies.REJECTION: Words(
        gettext_lazy("Rejected"),
        gettext_lazy("Of the questions that people answered, those they answered with no."),
        gettext_lazy("answered questions"),
    ),
    policies.COST: Words(
        gettext_lazy("Tokens of a run"),
        gettext_lazy("What an ended run took of the model, on average."),
        gettext_lazy("runs that ended"),
    ),
    policies.DIVERGENCE: Words(
        gettext_lazy("Other effects than the live run"),
        gettext_lazy(
            "Of the shadows that could be compared, those that would have another effect, one more or one"
            " less. The same effect in other words is the same."
        ),
        gettext_lazy("shadows compared"),
    ),
}
CONSTRAINTS: Final[Mapping[str, Promise]] = {
    samples.DUPLICATE_ARRIVED: gettext_lazy("No effect arrived twice"),
    samples.EFFECT_WITHOUT_APPROVAL: gettext_lazy("No effect went without an approval"),
    samples.WIRE_DIGEST_DIFFERS: gettext_lazy("What went out is what was approved"),
    samples.FOREIGN_TENANT_TOUCHED: gettext_lazy("Nothing of another tenant was touched"),
    samples.AUDIT_CHAIN_BROKEN: gettext_lazy("The audit chain is whole"),
}
REASONS: Final[Mapping[str, Promise]] = {
    verdicts.BETWEEN_LOOKS: gettext_lazy("between two looks nothing is decided"),
    verdicts.NO_LOOK_IS_LEFT: gettext_lazy("no look of the schedule is left"),
    verdicts.SAFETY_UNREAD: gettext_lazy("a safety constraint could not be read"),
}


def value(finding: Finding, shown: Shown | None) -> str:
    """One arm's number: "93.3 % of 45", "2 of 40", "1,024"; a dash where there is none."""
    if shown is None or shown.value is None:
        return "\N{EN DASH}"
    if finding.measure == policies.DUPLICATES:
        return _("%(n)s of %(of)s") % {"n": f"{shown.value:,.0f}", "of": f"{shown.of:,}"}
    number = f"{shown.value:,.0f}" if finding.by_ratio else f"{shown.value * POINTS:.1f} %"
    return _("%(n)s of %(of)s") % {"n": number, "of": f"{shown.of:,}"}


def limits(finding: Finding) -> str:
    """From where to where the difference lies; what has no end says so."""
    return _("%(low)s to %(high)s") % {
        "low": difference(finding, finding.low),
        "high": difference(finding, finding.high),
    }


def difference(finding: Finding, number: float | None) -> str:
    """A difference in points, of a ratio in per cent: "+3.2 points", "+12 %"; a share without one."""
    if number is None:
        return _("no limit")
    if finding.stable is None:
        return f"{number * POINTS:.1f} %"
    if finding.by_ratio:
        return _signed((number - 1) * POINTS, " %")
    return _signed(number * POINTS, _(" points"))


def of_finding(finding: Finding, demand: Demand, assigned: Observed) -> str:
    """The verdict of one measure as a sentence."""
    told = {
        verdicts.BETTER: _better,
        verdicts.NO_WORSE: _no_worse,
        verdicts.WORSE: _worse,
        verdicts.NOT_ENOUGH_EVIDENCE: _not_enough,
        verdicts.TELEMETRY_BROKEN: _broken,
    }
    if finding.verdict == verdicts.ARMS_NOT_COMPARABLE:
        return not_comparable(assigned)
    return told[finding.verdict](finding, demand)


def not_comparable(assigned: Observed) -> str:
    """Why the two arms cannot be compared."""
    return _(
        "Arms not comparable: the candidate got %(got)s of %(all)s new runs instead of"
        " %(expected)s. Something else than chance chose them."
    ) % {
        "got": f"{assigned.candidate:,}",
        "all": f"{assigned.all:,}",
        "expected": f"{(assigned.expected or 0) * POINTS:g} %",
    }


def because(names: tuple[str, ...]) -> str:
    """What decided a whole verdict, one after the other."""
    known = {name: words.title for name, words in MEASURES.items()}
    return ", ".join(str({**known, **CONSTRAINTS, **REASONS}.get(name, name)) for name in names)


def broken(times: int | None) -> str:
    """Of a safety constraint: that it holds, how often it does not, or that nobody can tell."""
    if times is None:
        return _("could not be read: it counts as not held")
    if not times:
        return _("holds")
    return ngettext("broken once", "broken %(n)d times", times) % {"n": times}


def _better(finding: Finding, _demand: Demand) -> str:
    told = {"limits": limits(finding), "best": difference(finding, finding.best)}
    return _("Better beyond doubt: the difference is %(limits)s, all of it past %(best)s.") % told


def _no_worse(finding: Finding, _demand: Demand) -> str:
    if finding.measure == policies.DUPLICATES:
        return _("None of %(of)s effects looked up arrived twice.") % {
            "of": f"{finding.candidate.of:,}"
        }
    told = {"limits": limits(finding), "worst": difference(finding, finding.worst)}
    if finding.stable is None:
        return _("Few enough: %(limits)s differ in effect; %(worst)s would be too many.") % told
    return _("No worse: the difference is %(limits)s; %(worst)s would be too much.") % told


def _worse(finding: Finding, _demand: Demand) -> str:
    if finding.measure == policies.DUPLICATES:
        n = int(finding.candidate.value or 0)
        said = ngettext(
            "Worse: %(n)d effect arrived twice, and none may.",
            "Worse: %(n)d effects arrived twice, and none may.",
            n,
        )
        return said % {"n": n}
    told = {"limits": limits(finding), "worst": difference(finding, finding.worst)}
    if finding.stable is None:
        said = _("Too many beyond doubt: %(limits)s differ in effect, all of it past %(worst)s.")
        return said % told
    return _("Worse beyond doubt: the difference is %(limits)s, all of it past %(worst)s.") % told


def _not_enough(finding: Finding, demand: Demand) -> str:
    told: dict[str, str] = {
        "trials": str(MEASURES[finding.measure].trials),
        "of": f"{finding.candidate.of:,}",
        "least": f"{demand.least:,}",
        "more": "" if finding.more is None else f"{finding.more:,}",
        "limits": limits(finding),
    }
    if finding.candidate.of < demand.least:
        if finding.more is None:
            return _("Not enough evidence: %(of)s of %(least)s %(trials)s.") % told
        return (
            _("Not enough evidence: %(of)s of %(least)s %(trials)s; %(more)s more needed.") % told
        )
    if finding.more_stable:
        told |= {"more": f"{finding.more_stable:,}", "of": _of_stable(finding)}
        return (
            _(
                "Not enough evidence: the stable combo has %(of)s of %(least)s %(trials)s;"
                " %(more)s more needed there."
            )
            % told
        )
    return _doubt(finding, told)


def _doubt(finding: Finding, told: dict[str, str]) -> str:
    if finding.stable is None and finding.more is None:
        return (
            _(
                "Not enough evidence after %(of)s %(trials)s: %(limits)s differ in effect, and if it"
                " goes on like this no number of them settles it."
            )
            % told
        )
    if finding.stable is None:
        return (
            _(
                "Not enough evidence after %(of)s %(trials)s: %(limits)s differ in effect; about"
                " %(more)s more needed if it goes on like this."
            )
            % told
        )
    if finding.more is None:
        return (
            _(
                "Not enough evidence after %(of)s %(trials)s: the difference is %(limits)s, and if it"
                " goes on like this no number of them settles it."
            )
            % told
        )
    return (
        _(
            "Not enough evidence after %(of)s %(trials)s: the difference is %(limits)s; about"
            " %(more)s more needed if it goes on like this."
        )
        % told
    )


def _of_stable(finding: Finding) -> str:
    return f"{finding.stable.of if finding.stable else 0:,}"


def _broken(finding: Finding, _demand: Demand) -> str:
    arms = [finding.candidate, *([finding.stable] if finding.stable else [])]
    unread = sum(arm.unread for arm in arms)
    return _(
        "Telemetry broken: %(unread)s of %(all)s facts behind it could not be read. What is not"
        " known counts for nothing."
    ) % {"unread": f"{unread:,}", "all": f"{unread + sum(arm.of for arm in arms):,}"}


def _signed(number: float, unit: str) -> str:
    sign = "+" if number > 0 else MINUS if number < 0 else ""
    return f"{sign}{abs(number):.1f}{unit}"
