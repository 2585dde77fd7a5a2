"""What many effects touch together: sums per currency and per kind, and the highest class. Pure."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from approvals.rules import classes

Json = Any

COUNTED: Final = ("recipients", "files", "lines", "deletions")


@dataclass(frozen=True)
class Totals:
    """`money` maps a currency to whole minor units, `counts` a kind to a number.

    `unmeasured` effects say nothing of their size that can be added; `riskiest` is the most
    dangerous class among them, "" of none.
    """

    money: Mapping[str, int]
    counts: Mapping[str, int]
    unmeasured: int
    riskiest: str


def of(effects: Iterable[tuple[Mapping[str, Json], str]]) -> Totals:
    """The totals of (magnitude, class of reversibility) pairs. An unknown class is the worst."""
    money: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    unmeasured, riskiest = 0, ""
    for size, said in effects:
        known = {name: size[name] for name in (*COUNTED, "amount") if _is_count(size.get(name))}
        unmeasured += not known
        money[str(size.get("currency", ""))] += known.pop("amount", 0)
        counts.update(known)
        riskiest = max(riskiest or classes.CLASSES[0], classes.as_known(said), key=classes.danger)
    return Totals(
        {currency: amount for currency, amount in sorted(money.items()) if amount},
        {kind: counts[kind] for kind in COUNTED if counts[kind]},
        unmeasured,
        riskiest,
    )


def _is_count(value: Json) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
