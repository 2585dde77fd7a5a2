"""Two proposals under one idempotency key, field by field, for whoever decides about them."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from canonical import json as canonical
from canonical.diffs import Change, json_changes
from canonical.display import clip
from checkpoints.models import Case
from execution.forks.offering import is_about_two
from reconciliation.models import Action
from tenants.keys import seeing

MOST: Final = 300
LONGEST: Final = 2_000


@dataclass(frozen=True)
class Compared:
    """The earlier effect, and how the proposal differs; `is_cut`: it is too long to be kept."""

    earlier: Action
    tool: str
    target: str
    changes: Sequence[dict[str, str]]
    is_cut: bool = False


def of(case: Case) -> Compared | None:
    """What a case of two proposals is about; None for any other case."""
    if case.action_id is None or not is_about_two(case):
        return None
    earlier = Action.objects.select_related("run").get(pk=case.action_id, tenant=case.tenant)
    facts = case.facts
    about = (earlier, str(facts.get("tool", "")), str(facts.get("target", "")))
    try:
        proposed = canonical.loads(str(facts["proposed"]))
    except canonical.CanonicalError:
        return Compared(*about, [], is_cut=True)
    before = seeing.of_value(case.tenant_id, canonical.loads(bytes(earlier.parameters))).value
    changes = json_changes(before, proposed)
    return Compared(*about, [_row(change) for change in changes[:MOST]])


def _row(change: Change) -> dict[str, str]:
    """For components/json_diff.html; who changed it is the node in both cases."""
    old = "" if change.kind == "added" else _text(change.old)
    new = "" if change.kind == "removed" else _text(change.new)
    return {"path": change.path, "kind": change.kind, "old": old, "new": new, "by": ""}


def _text(value: object) -> str:
    text, cut = clip(json.dumps(value, ensure_ascii=False, sort_keys=True), LONGEST)
    return f"{text} … ({cut:,} more characters)" if cut else text
