"""What the checkpoint pages read: the chain page by page, one checkpoint verified, two compared."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import Func, IntegerField

from canonical import json as canonical
from canonical.diffs import Change, json_changes
from canonical.display import clip
from checkpoints import reading
from checkpoints.errors import DamagedRecordError
from checkpoints.graph import Json
from checkpoints.models import Checkpoint, Run
from checkpoints.reading import Loaded
from tenants.keys import seeing

ROWS: Final = 40
MOST_CHANGES: Final = 300
LONGEST_VALUE: Final = 2_000
LONGEST_STATE: Final = 200_000
# To say who changed what, each checkpoint between two is read and compared: so many at most.
MOST_BETWEEN: Final = 40


class Bytes(Func):
    """How many bytes a column holds, without reading them."""

    function = "octet_length"
    output_field = IntegerField()


@dataclass(frozen=True)
class Step:
    """One checkpoint in a list. `took` is seconds since the one before it; None for the oldest."""

    seq: int
    parent_seq: int
    node: str
    next_node: str
    digest: str
    fence: int
    at: datetime
    size: int
    took: float | None

    @property
    def went_back(self) -> bool:
        """Whether its parent is not the checkpoint before it."""
        return self.parent_seq != self.seq - 1


@dataclass(frozen=True)
class Shown:
    """One checkpoint as its page shows it.

    `damage` is a sentence when what was read back is not what was committed; then there is no
    state. `cut` is how many characters of the state are left out.
    """

    row: Step
    header: str = ""
    state: str = ""
    cut: int = 0
    appended: str = ""
    damage: str = ""


@dataclass(frozen=True)
class Told:
    """One difference for json_diff.html."""

    path: str
    kind: str
    old: str
    new: str
    by: str


@dataclass(frozen=True)
class Difference:
    """What differs between two checkpoints. `damage` as in `Shown`."""

    old: int
    new: int
    changes: Sequence[Told] = ()
    left_out: int = 0
    damage: str = ""


def steps(run: Run, *, before: int | None = None) -> tuple[list[Step], bool]:
    """Checkpoints newest first, those below `before`, and whether there are earlier ones."""
    found = Checkpoint.objects.filter(run_id=run.id).annotate(size=Bytes("state"))
    if before is not None:
        found = found.filter(seq__lt=before)
    columns = ("seq", "parent_seq", "node", "next_node", "digest", "fence", "at", "size")
    rows = list(found.order_by("-seq").values_list(*columns)[: ROWS + 1])
    earlier = [row[6] for row in rows[1:]]
    made = [
        Step(seq, parent, node, then, bytes(digest).hex(), fence, at, size, _since(at, earlier, n))
        for n, (seq, parent, node, then, digest, fence, at, size) in enumerate(rows)
    ]
    return made[:ROWS], len(rows) > ROWS


def one(run: Run, seq: int) -> Shown:
    """A checkpoint with its header and state, verified. Raises `Checkpoint.DoesNotExist`."""
    found = [step for step in steps(run, before=seq + 1)[0] if step.seq == seq]
    if not found:
        raise Checkpoint.DoesNotExist
    try:
        loaded = reading.load(run, seq)
    except (DamagedRecordError, ValueError, KeyError, TypeError) as error:
        return Shown(found[0], damage=str(error))
    state, cut = clip(_pretty(_seen(run, loaded.state)), LONGEST_STATE)
    row = Checkpoint.objects.only("appended").get(run_id=run.id, seq=seq)
    items = canonical.loads(bytes(row.appended)) if row.appended is not None else None
    return Shown(
        found[0],
        _pretty(loaded.header),
        state,
        cut,
        _pretty(_seen(run, items)) if items is not None else "",
    )


def difference(run: Run, old: int, new: int) -> Difference:
    """What differs between the states of two checkpoints, by path, and which node changed it."""
    low, high = sorted((old, new))
    try:
        before, after = reading.load(run, low), reading.load(run, high)
        changes = json_changes(_seen(run, before.state), _seen(run, after.state))
        authors = _authors(run, before, after)
    except (DamagedRecordError, ValueError, KeyError, TypeError) as error:
        return Difference(low, high, damage=str(error))
    told = [_told(change, authors) for change in changes[:MOST_CHANGES]]
    return Difference(low, high, told, max(0, len(changes) - MOST_CHANGES))


def _since(at: datetime, earlier: list[datetime], n: int) -> float | None:
    return (at - earlier[n]).total_seconds() if n < len(earlier) else None


def _told(change: Change, authors: dict[str, str]) -> Told:
    return Told(
        path=change.path or "/",
        kind=change.kind,
        old="" if change.kind == "added" else _value(change.old),
        new="" if change.kind == "removed" else _value(change.new),
        by=_author(change.path, authors),
    )


def _value(value: Json) -> str:
    text, cut = clip(_pretty(value), LONGEST_VALUE)
    return f"{text} … ({cut:,} more characters)" if cut else text


def _pretty(value: Json) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False, sort_keys=True)


def _authors(run: Run, before: Loaded, after: Loaded) -> dict[str, str]:
    """For each changed path the last node that changed it, as far as it can be told cheaply."""
    between = Checkpoint.objects.filter(run_id=run.id, seq__gt=before.seq, seq__lte=after.seq)
    if after.seq - before.seq > MOST_BETWEEN:
        return {}
    found: dict[str, str] = {}
    state = _seen(run, before.state)
    for seq, node, content in between.order_by("seq").values_list("seq", "node", "state"):
        present = _seen(run, canonical.loads_object(bytes(content)))
        for change in json_changes(state, present):
            found[change.path] = f"{node} (#{seq})"
        state = present
    return found


def _seen(run: Run, stored: Json) -> Json:
    return seeing.of_value(run.tenant_id, stored).value


def _author(path: str, authors: dict[str, str]) -> str:
    """The last change of this path, of something inside it, or of something around it."""
    around = [
        told
        for changed, told in authors.items()
        if changed == path or changed.startswith(f"{path}/") or path.startswith(f"{changed}/")
    ]
    return max(around, key=_seq_of, default="")


def _seq_of(told: str) -> int:
    return int(told.rsplit("#", 1)[1].rstrip(")"))
