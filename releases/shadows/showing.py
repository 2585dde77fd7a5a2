"""One twin as its page shows it: each effect beside that of the live run, parameters and dry runs."""

from dataclasses import dataclass, field
from typing import Any, Final

from django.utils.translation import gettext as _

from approvals.models import ApprovalRequest
from approvals.showing import values
from canonical import json as canonical
from canonical.diffs import FileDiff, json_changes, parse_unified
from checkpoints.models import ShadowDryRun
from reconciliation.models import Action
from releases.combos import comparing
from releases.combos.comparing import Hunk
from releases.shadows.models import Compared
from tenants.keys import seeing

MOST_BYTES: Final = 60_000


@dataclass(frozen=True)
class Beside:
    """One effect of both: `judged` as it was kept, the actions (None where there is none), which
    parameters differ, and the two dry runs as one file before and after.
    """

    judged: dict[str, Any]
    twin: Action | None
    live: Action | None
    parameters: Any = None
    file: FileDiff | None = None
    hunks: list[Hunk] = field(default_factory=list)
    before: bool = True
    too_long: bool = False
    same_dry_run: bool = False


def effects(compared: Compared) -> list[Beside]:
    """Each effect of a twin, in the order in which it proposed them."""
    ids = [each[of] for each in compared.effects for of in ("twin", "live") if each[of]]
    actions = Action.objects.filter(pk__in=ids, tenant=compared.tenant_id).in_bulk()
    by_id = {str(pk): action for pk, action in actions.items()}
    dry = {str(each.pk): each for each in ShadowDryRun.objects.filter(run=compared.run_id)}
    asked = ApprovalRequest.objects.filter(run=compared.live_id, revision=1)
    first = {str(each.action_id): each for each in asked}
    return [
        _beside(each, by_id, dry.get(each["twin"]), first.get(each["live"]))
        for each in compared.effects
    ]


def _beside(
    judged: dict[str, Any],
    actions: dict[str, Action],
    mine: ShadowDryRun | None,
    theirs: ApprovalRequest | None,
) -> Beside:
    twin, live = actions.get(judged["twin"]), actions.get(judged["live"])
    old = bytes(theirs.diff) if theirs else b""
    new = bytes(mine.diff) if mine else b""
    too_long = max(len(old), len(new)) > MOST_BYTES
    known = theirs is not None and mine is not None
    file = None if too_long or not known else _file(old, new)
    return Beside(
        judged,
        twin,
        live,
        parameters=_parameters(live, twin),
        file=file,
        hunks=comparing.hunks(file) if file else [],
        before=mine is None or mine.before,
        too_long=too_long,
        same_dry_run=known and old == new,
    )


def _parameters(live: Action | None, twin: Action | None) -> Any:
    """What differs in the parameters as they may be seen; one alone is shown whole, as new or gone."""
    old, new = (_seen(each) for each in (live, twin))
    return values.json_rows(json_changes(old, new), by=_("the candidate"))


def _seen(action: Action | None) -> Any:
    if action is None:
        return {}
    return canonical.loads(seeing.of(action.tenant_id, bytes(action.parameters)).content)


def _file(old: bytes, new: bytes) -> FileDiff | None:
    """Two dry runs as one file that changes; None when nothing differs."""
    before, after = (each.decode("utf-8", "replace") for each in (old, new))
    said = "".join(comparing.of_file("dry-run", before, after))
    return parse_unified(said)[0] if said else None
