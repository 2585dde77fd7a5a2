"""What a tenant demands of a candidate: margins, least samples, looks and the error level. Pure.

Read strictly: a member that is unknown, missing or out of range refuses the whole, with its path.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from canonical import digests
from releases.gates import twinning
from releases.gates.twinning import Twinning

Json = Any

VERSION: Final = 1
_TAG: Final = "gate-policy"

RECOVERY_SUCCESS: Final = "recovery_success"
RECOVERY_DURATION: Final = "recovery_duration"
DUPLICATES: Final = "duplicates"
FAILURE: Final = "failure"
HELD: Final = "held"
REJECTION: Final = "rejection"
COST: Final = "cost"
# Of shadows beside their live runs, of which the candidate alone has some: no arm to compare it with.
DIVERGENCE: Final = "divergence"
MEASURES: Final = (
    RECOVERY_SUCCESS,
    RECOVERY_DURATION,
    DUPLICATES,
    FAILURE,
    HELD,
    REJECTION,
    COST,
    DIVERGENCE,
)
MOST_LOOKS: Final = 40
LARGEST: Final = 10_000_000
# What a crossed gate (`on_stop`) or a broken safety constraint (`on_unsafe`) does once intake is
# stopped: it plans a rollback for a person, or rolls back by itself, once.
PROPOSE: Final = "propose"
ROLL_BACK: Final = "roll_back"
# Of fewer values a mean says too little for what is said of it.
LEAST_OF_MEAN: Final = 20


# Members that older policies lack; as usual, they are not told. `roll_back_people` is how many order
# the rollback of a release that is not stable (that of a stable one always takes two).
USUALLY: Final[Mapping[str, Json]] = {
    "on_stop": PROPOSE,
    "on_unsafe": ROLL_BACK,
    "roll_back_people": 1,
}


class BadPolicyError(ValueError):
    """This is no policy of gates, so nothing may be promoted by it.

    `problem` is of the member at `path`; `limits` are the least and the most it may be, where the
    trouble is that it is not between them.
    """

    def __init__(self, path: str, problem: str, limits: tuple[float, float] | None = None) -> None:
        super().__init__(f"{path or '/'}: {problem}")
        self.path = path
        self.problem = problem
        self.limits = limits


@dataclass(frozen=True)
class Demand:
    """Of one measure: by how much the candidate may be worse, and from how many on that is judged.

    `margin` is in shares of 1 (0.05: five of 100 more may fail), for cost in shares of the stable
    arm's (0.25: a quarter dearer), of divergence the share that may differ at all. `within_seconds` is when a recovery is late.
    """

    margin: float
    least: int
    within_seconds: int = 0


@dataclass(frozen=True)
class Policy:
    """`error` is the chance, over all looks together, that a measure's limit is on the wrong side.

    So it is the chance of calling worse what is just within its margin, and of allowing what is just
    beyond it. `looks` are the numbers of the candidate's ended runs at which a promotion may be decided;
    `most_unread` is the share of facts that may be missing; `ratio_error` the chance of calling
    arms not comparable that are. A measure without a demand is not judged. `shadows` says how many
    twins there are; it judges nothing.
    """

    demands: Mapping[str, Demand]
    looks: Sequence[int]
    error: float = 0.05
    most_unread: float = 0.05
    ratio_error: float = 0.001
    shadows: Twinning = twinning.USUAL
    on_stop: str = PROPOSE
    on_unsafe: str = ROLL_BACK
    roll_back_people: int = 1

    @property
    def error_per_look(self) -> float:
        """What one look may spend of the error: all of them together spend no more than the whole."""
        return self.error / len(self.looks)

    def looks_due(self, ended: int) -> int:
        """How many looks are due after so many ended runs of the candidate; 0 before the first."""
        return sum(ended >= look for look in self.looks)

    def as_json(self) -> dict[str, Json]:
        """As it is kept and read."""
        return {
            "version": VERSION,
            "error": self.error,
            "looks": list(self.looks),
            "most_unread": self.most_unread,
            "ratio_error": self.ratio_error,
            "measures": {name: _told(name, each) for name, each in self.demands.items()},
            **self._unusual(),
            # Of the usual ones nothing is said: a policy of before there were any stays what it was.
            **({} if self.shadows == twinning.USUAL else {"shadows": self.shadows.as_json()}),
        }

    def _unusual(self) -> dict[str, Json]:
        """Of the usual ones nothing is said: a policy of before there were any stays what it was."""
        told = {name: getattr(self, name) for name in USUALLY}
        return {name: each for name, each in told.items() if each != USUALLY[name]}

    @property
    def digest(self) -> str:
        """What names these demands and no others."""
        return digests.tagged(_TAG, self.as_json())


def read(kept: Json) -> Policy:
    """The policy of a JSON object. Raises `BadPolicyError`."""
    members = {"version", "error", "looks", "most_unread", "ratio_error", "measures"}
    members |= USUALLY.keys() & (kept.keys() if isinstance(kept, dict) else set())
    given = kept.get("shadows") if isinstance(kept, dict) else None
    found = _object(kept, "", members | ({"shadows"} if given is not None else set()))
    found = {**USUALLY, **found}
    if found["version"] != VERSION:
        raise BadPolicyError("/version", f"only {VERSION} is known")
    measures = found["measures"]
    if not isinstance(measures, dict) or not measures:
        raise BadPolicyError("/measures", "is not an object with at least one measure")
    if measures.keys() == {DIVERGENCE}:
        # Nothing would be left of it where no shadow ran, and nothing may pass as judged.
        raise BadPolicyError("/measures", f"has nothing beside {DIVERGENCE} to judge a canary by")
    return Policy(
        demands={name: _demand(name, measures[name]) for name in sorted(measures, key=_place)},
        looks=_looks(found["looks"]),
        error=_share(found["error"], "/error", least=0.0001, most=0.2),
        most_unread=_share(found["most_unread"], "/most_unread", least=0, most=0.5),
        ratio_error=_share(found["ratio_error"], "/ratio_error", least=0.000001, most=0.05),
        on_stop=_one_of(found["on_stop"], "/on_stop", (PROPOSE, ROLL_BACK)),
        on_unsafe=_one_of(found["on_unsafe"], "/on_unsafe", (PROPOSE, ROLL_BACK)),
        roll_back_people=_one_of(found["roll_back_people"], "/roll_back_people", (1, 2)),
        shadows=_shadows(given),
    )


def _shadows(kept: Json) -> Twinning:
    if kept is None:
        return twinning.USUAL
    if not isinstance(kept, dict):
        raise BadPolicyError("/shadows", "is not an object")
    try:
        return twinning.read(kept)
    except ValueError as error:
        path, problem = str(error).split(": ", 1)
        raise BadPolicyError(f"/shadows{path}", problem) from error


def _one_of(kept: Json, path: str, known: tuple[Json, ...]) -> Any:
    if isinstance(kept, bool) or kept not in known:
        raise BadPolicyError(path, f"is not one of {', '.join(map(str, known))}")
    return kept


def _place(name: str) -> int:
    return MEASURES.index(name) if name in MEASURES else len(MEASURES)


def _demand(name: str, kept: Json) -> Demand:
    path = f"/measures/{name}"
    if name not in MEASURES:
        raise BadPolicyError(path, f"is no measure; known are {', '.join(MEASURES)}")
    if name == DUPLICATES:
        return Demand(0.0, _whole(_object(kept, path, {"least"})["least"], f"{path}/least"))
    members = {"margin", "least"} | ({"within_seconds"} if name == RECOVERY_DURATION else set())
    found = _object(kept, path, members)
    return Demand(
        margin=_share(found["margin"], f"{path}/margin", least=0, most=10 if name == COST else 0.5),
        least=_whole(found["least"], f"{path}/least", least=LEAST_OF_MEAN if name == COST else 1),
        within_seconds=_whole(found.get("within_seconds", 1), f"{path}/within_seconds")
        if name == RECOVERY_DURATION
        else 0,
    )


def _told(name: str, demand: Demand) -> dict[str, Json]:
    if name == DUPLICATES:
        return {"least": demand.least}
    told: dict[str, Json] = {"margin": demand.margin, "least": demand.least}
    return told | ({"within_seconds": demand.within_seconds} if name == RECOVERY_DURATION else {})


def _looks(kept: Json) -> tuple[int, ...]:
    if not isinstance(kept, list) or not 1 <= len(kept) <= MOST_LOOKS:
        raise BadPolicyError("/looks", f"is not a list of 1 to {MOST_LOOKS} numbers of runs")
    looks = tuple(_whole(each, f"/looks/{place}") for place, each in enumerate(kept))
    if list(looks) != sorted(set(looks)):
        raise BadPolicyError("/looks", "does not grow from look to look")
    return looks


def _object(kept: Json, path: str, members: set[str]) -> dict[str, Json]:
    if not isinstance(kept, dict):
        raise BadPolicyError(path, "is not an object")
    for name in sorted(kept.keys() ^ members):
        problem = "is missing" if name in members else "is unknown"
        raise BadPolicyError(f"{path}/{name}", problem)
    return kept


def _share(kept: Json, path: str, *, least: float, most: float) -> float:
    if isinstance(kept, bool) or not isinstance(kept, int | float) or not least <= kept <= most:
        raise BadPolicyError(path, f"is not a number from {least:g} to {most:g}", (least, most))
    return kept


def _whole(kept: Json, path: str, *, least: int = 1) -> int:
    if isinstance(kept, bool) or not isinstance(kept, int) or not least <= kept <= LARGEST:
        raise BadPolicyError(path, f"is not a whole number from {least} to {LARGEST:,}")
    return kept


USUAL: Final = Policy(
    demands={
        RECOVERY_SUCCESS: Demand(margin=0.05, least=30),
        RECOVERY_DURATION: Demand(margin=0.1, least=30, within_seconds=60),
        DUPLICATES: Demand(margin=0.0, least=20),
        FAILURE: Demand(margin=0.05, least=50),
        HELD: Demand(margin=0.1, least=50),
        REJECTION: Demand(margin=0.1, least=30),
        COST: Demand(margin=0.25, least=50),
        DIVERGENCE: Demand(margin=0.2, least=30),
    },
    looks=(50, 100, 150, 200, 300, 400, 600, 800, 1200, 1600),
)
