"""What one look saw of both arms, as numbers; to canonical JSON and back, so that it can be judged again. Pure."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from canonical import digests
from canonical import json as canonical
from releases.gates.survival import Spell

Json = Any

# Form 2 has what shadows say; a sample without that stays of form 1, with the digest it had.
VERSION: Final = 2
BEFORE_SHADOWS: Final = 1
_TAG: Final = "gate-sample"

# What stops a release at the first, whatever the numbers (DESIGN 7).
DUPLICATE_ARRIVED: Final = "duplicate_arrived"
EFFECT_WITHOUT_APPROVAL: Final = "effect_without_approval"
WIRE_DIGEST_DIFFERS: Final = "wire_digest_differs"
FOREIGN_TENANT_TOUCHED: Final = "foreign_tenant_touched"
AUDIT_CHAIN_BROKEN: Final = "audit_chain_broken"
CONSTRAINTS: Final = (
    DUPLICATE_ARRIVED,
    EFFECT_WITHOUT_APPROVAL,
    WIRE_DIGEST_DIFFERS,
    FOREIGN_TENANT_TOUCHED,
    AUDIT_CHAIN_BROKEN,
)


@dataclass(frozen=True)
class Count:
    """So many of so many; `unread` are facts that should be there and could not be read."""

    hits: int = 0
    of: int = 0
    unread: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.hits <= self.of or self.unread < 0:
            raise ValueError(f"{self.hits} of {self.of} ({self.unread} unread) is no count")


@dataclass(frozen=True)
class Cost:
    """Tokens per run: of how many runs, their mean, and their variance (0 of fewer than two)."""

    runs: int = 0
    mean: float = 0.0
    variance: float = 0.0
    unread: int = 0


@dataclass(frozen=True)
class Effects:
    """Effects that happened; `checked` were looked up afterwards and found, `arrived` are there twice."""

    happened: int = 0
    checked: int = 0
    arrived: int = 0
    unread: int = 0


@dataclass(frozen=True)
class Arm:
    """One arm since the shares last moved. `assigned` are its new runs, `ended` those that are over.

    `recovered` is of recoveries begun, `failed` of runs that ended by themselves, `held` of new
    runs, `rejected` of questions that people answered.
    """

    assigned: int = 0
    ended: int = 0
    recovered: Count = Count()
    spells: tuple[Spell, ...] = ()
    spells_unread: int = 0
    failed: Count = Count()
    held: Count = Count()
    rejected: Count = Count()
    cost: Cost = Cost()
    effects: Effects = Effects()


@dataclass(frozen=True)
class Constraint:
    """How often a safety constraint is broken (None: that could not be read), with examples' ids."""

    name: str
    broken: int | None = 0
    examples: tuple[str, ...] = ()


UNBROKEN: Final = tuple(Constraint(name) for name in CONSTRAINTS)


@dataclass(frozen=True)
class Sample:
    """Both arms at one moment of the database's clock (ISO 8601), and what never may have happened.

    `expected_share` is what the candidate should get of 10,000 keys, None where no share is dealt
    out (a shadow). `is_cut`: more rows than one look reads; it saw the newest. `diverged` are the twins
    of the release that differ in effect, of those that can be judged; None where none was compared
    and none had to be: that asks nothing.
    """

    candidate: Arm
    stable: Arm
    expected_share: int | None = None
    safety: tuple[Constraint, ...] = field(default=UNBROKEN)
    taken_at: str = ""
    is_cut: bool = False
    diverged: Count | None = None

    def as_json(self) -> dict[str, Json]:
        """As it is kept; `read` takes it back."""
        told = asdict(self) | {"version": BEFORE_SHADOWS if self.diverged is None else VERSION}
        if self.diverged is None:
            del told["diverged"]
        for arm, kept in ((self.candidate, "candidate"), (self.stable, "stable")):
            told[kept]["spells"] = [[each.took, int(each.over), each.age] for each in arm.spells]
        told["safety"] = [{**asdict(each), "examples": list(each.examples)} for each in self.safety]
        # Read back at once: a whole number of a float is an int from now on.
        read_back: dict[str, Json] = canonical.loads_object(canonical.dumps(told))
        return read_back

    @property
    def digest(self) -> str:
        """What names this sample and no other."""
        return digests.tagged(_TAG, self.as_json())


def read(kept: Mapping[str, Json]) -> Sample:
    """The sample that was kept. Raises ValueError when it is none of this form."""
    try:
        if kept["version"] not in (BEFORE_SHADOWS, VERSION):
            raise ValueError(f"a sample of form {kept['version']}")
        return Sample(
            candidate=_arm(kept["candidate"]),
            stable=_arm(kept["stable"]),
            expected_share=kept["expected_share"],
            safety=tuple(
                Constraint(each["name"], each["broken"], tuple(each["examples"]))
                for each in kept["safety"]
            ),
            taken_at=kept["taken_at"],
            is_cut=kept["is_cut"],
            diverged=Count(**kept["diverged"]) if kept["version"] == VERSION else None,
        )
    except (KeyError, TypeError) as error:
        raise ValueError(f"no sample: {error}") from error


def _arm(kept: Mapping[str, Json]) -> Arm:
    return Arm(
        assigned=kept["assigned"],
        ended=kept["ended"],
        recovered=Count(**kept["recovered"]),
        spells=tuple(Spell(took, bool(over), age) for took, over, age in kept["spells"]),
        spells_unread=kept["spells_unread"],
        failed=Count(**kept["failed"]),
        held=Count(**kept["held"]),
        rejected=Count(**kept["rejected"]),
        cost=Cost(**kept["cost"]),
        effects=Effects(**kept["effects"]),
    )
