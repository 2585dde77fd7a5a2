"""Proves a chain from its links and signed heads, wherever they were read from. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tenants.signing import Believed
from tenants.trail.seals import Link, Problem, Sealed, head_trouble, walk

Json = Any


@dataclass
class Report:
    """What is known of one chain after reading it whole.

    `signed_to` is the last position under a believed head: up to there nobody without the key can
    have changed anything unseen. What stands after it is linked and not yet signed.
    """

    links: int = 0
    end: Link = field(default_factory=Link)
    signed_to: int = 0
    heads: int = 0
    problems: list[Problem] = field(default_factory=list)

    @property
    def intact(self) -> bool:
        return not self.problems


def verify(
    links: Iterable[Sealed],
    heads: Sequence[Mapping[str, Json]],
    believed: Believed,
    *,
    whose: tuple[str, int | None],
) -> Report:
    """Read a chain from its first link; `whose` is the installation and the tenant it must be of."""
    report = Report(heads=len(heads))
    waiting = _by_position(heads, believed, whose, report)
    for end, problems in walk(links):
        report.links, report.end = report.links + 1, end
        report.problems += problems
        for head in waiting.pop(end.position, ()):
            _compare(head, end, report)
    for position in sorted(waiting):
        report.problems.append(_cut_off(position, report.end, waiting[position][0]))
    return report


def _by_position(
    heads: Sequence[Mapping[str, Json]],
    believed: Believed,
    whose: tuple[str, int | None],
    report: Report,
) -> dict[int, list[Mapping[str, Json]]]:
    """Believed heads by where they say the chain was; the others become problems."""
    found: dict[int, list[Mapping[str, Json]]] = {}
    for head in heads:
        position = int(head["position"])
        trouble = head_trouble(head, believed)
        if not trouble and (head["installation"], head["tenant"]) != whose:
            trouble = f"is of another chain (installation {head['installation']})"
        if trouble:
            sentence = f"The signed head at position {position} {trouble}."
            report.problems.append(Problem(position, 0, sentence))
        else:
            found.setdefault(position, []).append(head)
    return found


def _compare(head: Mapping[str, Json], end: Link, report: Report) -> None:
    if head["digest"] == end.digest.hex():
        report.signed_to = max(report.signed_to, end.position)
        return
    sentence = (
        f"Position {end.position} is not what was signed at {head['at']}: the chain was rewritten"
        f" somewhere from position {report.signed_to + 1} to {end.position}."
    )
    report.problems.append(Problem(end.position, 0, sentence))


def _cut_off(position: int, end: Link, head: Mapping[str, Json]) -> Problem:
    sentence = (
        f"The chain reached position {position} when it was signed at {head['at']}, and now ends"
        f" at {end.position}: its end was cut off, or this is an older copy."
    )
    return Problem(position, 0, sentence)
