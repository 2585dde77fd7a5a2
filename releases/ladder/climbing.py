"""Steps on the ladder of a release: what is shown is judged again as it is made, and kept with it."""

from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from django.db import transaction

from canonical import digests
from canonical import json as canonical
from checkpoints import rungs
from checkpoints.errors import IllegalMoveError
from checkpoints.models import RungStep
from checkpoints.rungs import Step
from releases.errors import MoveChangedError, ReleaseRefusedError
from releases.ladder.evidence import Evidence, Item
from releases.locking import locked_by
from releases.models import Release
from tenants.keys import hiding
from tenants.models import User

TAG: Final = "ladder-step"


@dataclass(frozen=True)
class Rung:
    """Where one tool of the candidate stands, and what the step up from there needs."""

    tool: str
    stands: str
    up: str
    needs: tuple[Item, ...]
    digest: str

    @property
    def may_climb(self) -> bool:
        """Whether all that the step up needs is there."""
        return bool(self.up) and all(item.holds for item in self.needs)

    @property
    def below(self) -> tuple[str, ...]:
        """The rungs that lead down, the nearest first."""
        return tuple(reversed(rungs.RUNGS[: rungs.RUNGS.index(self.stands)]))


@dataclass(frozen=True)
class Wanted:
    """A step that somebody wants; `digest` is of what the page showed, "" for a step down."""

    tool: str
    to: str
    why: str
    digest: str = ""


def ladder(release: Release) -> list[Rung]:
    """Every tool of the candidate, with where it stands."""
    tools = rungs.tools_of(release.candidate)
    stand = rungs.all_of(release.tenant_id, release.candidate_id, tools)
    shows = Evidence(release)
    return [_rung(shows, tool, stand[tool]) for tool in tools]


def step(release_id: UUID, wanted: Wanted, *, user: User) -> RungStep:
    """Take a tool one rung up on exactly the evidence that was shown, or down at once.

    Raises `MoveChangedError` when the evidence is another by now, `ReleaseRefusedError`, `Denied`.
    """
    if not wanted.why.strip():
        raise ReleaseRefusedError("a step needs a reason; say in a few words why now")
    with transaction.atomic():
        release = locked_by(release_id, user)
        if wanted.tool not in rungs.tools_of(release.candidate):
            raise ReleaseRefusedError(f"its candidate has no tool {wanted.tool!r}")
        why = hiding.text(wanted.why.strip())
        shown = _judged(release, wanted)
        made = Step(wanted.tool, wanted.to, why, shown)
        try:
            return rungs.step(release.tenant, release.candidate, made, user=user)
        except IllegalMoveError as error:
            raise ReleaseRefusedError(str(error)) from error


def _judged(release: Release, wanted: Wanted) -> bytes:
    """The evidence of a step up as bytes; nothing for one down."""
    stands = rungs.of(release.tenant_id, release.candidate_id, wanted.tool)
    rung = _rung(Evidence(release), wanted.tool, stands)
    if wanted.to in rung.below:
        return b""
    if wanted.to != rung.up:
        raise ReleaseRefusedError(f"{wanted.tool} stands at {rung.stands}; one rung at a time")
    if wanted.digest != rung.digest:
        raise MoveChangedError
    if not rung.may_climb:
        missing = ", ".join(item.name for item in rung.needs if not item.holds)
        raise ReleaseRefusedError(f"the rung below does not show enough yet: {missing}")
    return canonical.dumps(_shown(release, rung.tool, rung.up, rung.needs))


def _rung(shows: Evidence, tool: str, stands: str) -> Rung:
    up = rungs.next_up(stands)
    needs = shows.of(tool, up)
    digest = digests.tagged(TAG, _shown(shows.release, tool, up, needs)) if up else ""
    return Rung(tool, stands, up, needs, digest)


def _shown(release: Release, tool: str, to: str, needs: tuple[Item, ...]) -> dict[str, Any]:
    return {
        "release": str(release.pk),
        "candidate": release.candidate.hex,
        "tool": tool,
        "to": to,
        "needs": [item.as_json() for item in needs],
    }
