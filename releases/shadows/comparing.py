"""What a twin did, beside what its live run did: effect by effect, and along the way. Pure.

Effects are paired by their identity: the node, and which proposal of that node it is.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from reconciliation import wordings
from reconciliation.tools import Wording

Json = Any

SAME: Final = "same"
WORDS: Final = "words"
MOVED: Final = "moved"
DIFFERENT: Final = "different"
EXTRA: Final = "extra"
MISSING: Final = "missing"
TROUBLE: Final = "trouble"
# The worst first: a twin counts as the worst of its effects.
KINDS: Final = (DIFFERENT, EXTRA, MISSING, TROUBLE, MOVED, WORDS, SAME)
# Of an effect: what diverges, and what can be judged at all.
DIVERGES: Final = (DIFFERENT, EXTRA, MISSING)
JUDGED: Final = (*DIVERGES, WORDS, SAME)

# How a twin ended.
AT_END: Final = "at_end"  # as far as its graph goes
AT_EFFECT: Final = "at_effect"  # at an effect whose outcome it could not borrow
IN_TROUBLE: Final = "in_trouble"  # by what would have held a live run, or failed it


@dataclass(frozen=True)
class Effect:
    """One proposed effect. `parameters` in the clear; `diff` is the digest of its dry run, "" of none;
    `looked_at` is what that looked at, with its version. `reversibility` is the class of its tool.
    """

    node: str
    ordinal: int
    tool: str
    parameters: Json
    diff: str = ""
    looked_at: Mapping[str, str] = field(default_factory=dict)
    reversibility: str = ""
    action_id: str = ""

    @property
    def identity(self) -> tuple[str, int]:
        return self.node, self.ordinal


@dataclass(frozen=True)
class Went:
    """How one run went: its effects, the nodes it committed, what it read with its version, what it
    cost in tokens, and how many ms it took to its first proposal or its end (None: not known).
    """

    effects: Sequence[Effect] = ()
    path: Sequence[str] = ()
    saw: Mapping[str, str] = field(default_factory=dict)
    tokens: int | None = None
    ms: int | None = None


@dataclass(frozen=True)
class Judged:
    """What is said of one effect. `where` are the parameters that differ, as JSON pointers."""

    kind: str
    node: str
    ordinal: int
    tool: str
    reversibility: str
    where: tuple[str, ...] = ()
    twin: str = ""
    live: str = ""


@dataclass(frozen=True)
class Comparison:
    """The worst of the effects is the kind of the whole; `same_path` as far as the twin went."""

    kind: str
    effects: tuple[Judged, ...]
    same_path: bool


def compare(twin: Went, live: Went, *, ended: str, declared: Mapping[str, Wording]) -> Comparison:
    """Compare a twin that ended with its live run, which ended too or is past what they share."""
    theirs = {each.identity: each for each in live.effects}
    mine = {each.identity for each in twin.effects}
    alike = all(live.saw.get(source, version) == version for source, version in twin.saw.items())
    found = [_of(each, theirs.get(each.identity), declared, alike=alike) for each in twin.effects]
    if ended == AT_END:
        # Who ended before had not come to the rest: that it is not there says nothing.
        found += [_alone(MISSING, each) for each in live.effects if each.identity not in mine]
    kinds = {each.kind for each in found} | ({TROUBLE} if ended == IN_TROUBLE else set())
    return Comparison(
        kind=next((kind for kind in KINDS if kind in kinds), SAME),
        effects=tuple(found),
        same_path=_same_path(twin.path, live.path, whole=ended == AT_END),
    )


def _of(
    mine: Effect, theirs: Effect | None, declared: Mapping[str, Wording], *, alike: bool
) -> Judged:
    if theirs is None:
        return _alone(EXTRA, mine)
    where = wordings.differing(theirs.parameters, mine.parameters)
    if mine.tool != theirs.tool:
        kind = DIFFERENT
    elif not where:
        kind = SAME
    else:
        kind = _of_other_parameters(mine, theirs, where, declared.get(mine.tool, Wording()))
    if kind == DIFFERENT and not (alike and _same_world(mine, theirs)):
        kind = MOVED
    return Judged(
        kind,
        mine.node,
        mine.ordinal,
        mine.tool,
        mine.reversibility or theirs.reversibility,
        where,
        mine.action_id,
        theirs.action_id,
    )


def _of_other_parameters(
    mine: Effect, theirs: Effect, where: tuple[str, ...], wording: Wording
) -> str:
    same = wordings.only_words(where, wording, diffs=(mine.diff, theirs.diff))
    return WORDS if same else DIFFERENT


def _same_world(mine: Effect, theirs: Effect) -> bool:
    """Whether what both dry runs looked at had the same version; what only one looked at says nothing."""
    both = mine.looked_at.keys() & theirs.looked_at.keys()
    return all(mine.looked_at[name] == theirs.looked_at[name] for name in both)


def _alone(kind: str, effect: Effect) -> Judged:
    told = (effect.node, effect.ordinal, effect.tool, effect.reversibility)
    twin, live = (effect.action_id, "") if kind == EXTRA else ("", effect.action_id)
    return Judged(kind, *told, twin=twin, live=live)


def _same_path(mine: Sequence[str], theirs: Sequence[str], *, whole: bool) -> bool:
    return list(mine) == list(theirs if whole else theirs[: len(mine)])
