"""What a step up the ladder needs of the rung below it: read from the record, never from what is claimed.

All of it is of runs of the candidate that are shadows: at that rung they could do no more.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final

from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from approvals import clock
from checkpoints import reading, rungs, states, versions
from checkpoints.errors import UnknownTaskTypeError
from checkpoints.models import Case, Event, Recovery, Run, ShadowDryRun
from checkpoints.registry import combo_of
from reconciliation import proof
from reconciliation.credentials.models import VALID, Credential
from reconciliation.models import Action
from releases.gates.samples import Constraint
from releases.models import Release
from releases.numbers import safety
from tenants.keys import vaults

ENOUGH: Final = 3
READ_AGAIN: Final = 10
EVENTS: Final = 500
EXAMPLES: Final = 5
CHECKED_WITHIN: Final = timedelta(days=1)
# How a run ends that met a no, or an answer that could not be used, in order.
IN_ORDER_BUT_NO: Final = (
    states.REJECTED,
    states.REFUSED,
    states.EXPIRED,
    states.SENT_BACK,
    states.FORBIDDEN_EFFECT,
)
# A shadow that came to its end, or ended where the live run beside it did something else or nothing
# could be tried: not one that somebody or some trouble ended.
IN_ORDER: Final = (
    Q(status=states.SUCCEEDED)
    | Q(status=states.FAILED, stop_reason__in=IN_ORDER_BUT_NO)
    | Q(status=states.CANCELLED, stop_reason=states.SHADOW_ENDED)
)


@dataclass(frozen=True)
class Item:
    """One thing that a step needs: whether the record has it, in words, and the runs that show it."""

    name: str
    says: str
    runs: tuple[str, ...] = ()
    holds: bool = False

    def as_json(self) -> dict[str, object]:
        """For the evidence that a step keeps. Its words are of a moment and are left out."""
        return {"name": self.name, "holds": self.holds, "runs": list(self.runs)}


@dataclass
class Evidence:
    """What the record shows of one release; what is of no single tool is read once for all of them."""

    release: Release
    read: dict[Callable[[Release], Item], Item] = field(default_factory=dict)

    def of(self, tool: str, to: str) -> tuple[Item, ...]:
        """What a step of a tool to this rung needs; nothing for a step that leads down."""
        own = tuple(look(self.release, tool) for look in OF_TOOL.get(to, ()))
        return own + tuple(self._once(look) for look in OF_RELEASE.get(to, ()))

    def _once(self, look: Callable[[Release], Item]) -> Item:
        if look not in self.read:
            self.read[look] = look(self.release)
        return self.read[look]


def _same_schema(release: Release, tool: str) -> Item:
    """The contract is of the tool that is installed; another schema is another contract."""
    named = versions.of(release.candidate).tools.get(tool)
    try:
        here = versions.of(combo_of(release.task_type)).tools.get(tool)
    except UnknownTaskTypeError:
        here = None
    holds = here is not None and named == here
    said = _("The combo names the tool with the schemas and the version that are installed here.")
    other = _("The tool that is installed here has other schemas or another version.")
    return Item("contract", said if holds else other, holds=holds)


def _ended(release: Release) -> Item:
    """Runs that came to their end though nothing of the tool was there to help them."""
    over = _shadows(release).filter(IN_ORDER)
    ids = _ids(over, enough=ENOUGH)
    said = _("%(n)d of its shadow runs came to their end; %(of)d are needed.")
    n = over.count()
    return Item("ended", said % {"n": n, "of": ENOUGH}, ids, holds=n >= ENOUGH)


def _none_invalid(release: Release) -> Item:
    """Whatever does not fit the contract of the tool holds its run, and is a case."""
    bad = Case.objects.filter(run__in=_shadows(release), kind=states.INVALID_OUTPUT)
    ids = tuple(str(each) for each in bad.values_list("run_id", flat=True)[:EXAMPLES])
    said = _("None of its shadow runs proposed or answered what does not fit the contract.")
    other = _("Shadow runs of it proposed or answered what does not fit the contract.")
    return Item("answers_fit", other if ids else said, ids, holds=not ids)


def _permission(release: Release, tool: str) -> Item:
    """The credential of this tenant works, was looked at lately, and reached no other tenant."""
    found = Credential.objects.filter(tenant=release.tenant_id, tool=tool).first()
    if found is None:
        said = _("Nobody noted the credential that it acts with here; note it, and it is checked.")
        return Item("credential", said)
    late = found.checked_at is None or found.checked_at < clock.now() - CHECKED_WITHIN
    if found.result != VALID or late:
        said = _("Its credential was not found good within a day; press “check now” on its page.")
        return Item("credential", said)
    return Item("credential", _("Its credential was found good within a day."), holds=True)


def _within_tenant(release: Release) -> Item:
    broken = [each for each in _constraints(release) if each.broken != 0]
    named = tuple(str(example) for each in broken for example in each.examples)[:EXAMPLES]
    said = _("It touched no other tenant, and no other safety constraint is broken.")
    other = _("A safety constraint is broken or cannot be read: %(what)s.")
    what = ", ".join(each.name for each in broken)
    told = other % {"what": what} if broken else said
    return Item("constraints", told, named, holds=not broken)


def _constraints(release: Release) -> tuple[Constraint, ...]:
    return safety.constraints(release.tenant, release.candidate, release.begun_at)


def _redacted(release: Release) -> Item:
    """What its newest runs left in the log, beside what is sensitive in what they were given."""
    leaks = [str(run.pk) for run in _newest(release) if _leaks(run)]
    said = _("Nothing sensitive of theirs stands in the log of its newest shadow runs.")
    other = _("Something sensitive stands in the log of its shadow runs.")
    return Item("redaction", other if leaks else said, tuple(leaks[:EXAMPLES]), holds=not leaks)


def _leaks(run: Run) -> bool:
    told = Event.objects.filter(run=run).values_list("detail", flat=True)[:EVENTS]
    proposed = Action.objects.filter(run=run).values_list("parameters", flat=True)[:EVENTS]
    with vaults.bound(run.tenant_id) as vault:
        for content in (run.input, *proposed):
            vault.learn(bytes(content))
        return any(vault.known.json(each).value != each for each in told)


def _complete(release: Release) -> Item:
    """Its newest runs, read again from the first checkpoint to the last."""
    newest = _newest(release)
    with vaults.bound(release.tenant_id):
        damaged = [run for run in newest if reading.verify_run(run) + proof.damage(run)]
    ids = tuple(str(run.pk) for run in damaged)[:EXAMPLES]
    holds = bool(newest) and not damaged
    said = _("%(n)d of its shadow runs were read again from end to end, and are whole.")
    other = _("%(n)d of its shadow runs are not whole, or there is none to read.")
    told = (said if holds else other) % {"n": len(damaged or newest)}
    return Item("trace", told, ids, holds=holds)


def _success(release: Release, tool: str) -> Item:
    """A run that dry-ran the tool and came to its end."""
    tried = Action.objects.filter(tool=tool, pk__in=ShadowDryRun.objects.values("action_id"))
    good = _shadows(release).filter(status=states.SUCCEEDED, pk__in=tried.values("run"))
    said = _("A shadow run that got as far as the dry run of the tool succeeded.")
    return _one(good, "success", said, _("No shadow run that dry-ran the tool succeeded yet."))


def _refusal(release: Release) -> Item:
    """A run that met a no, its own or that of the live run beside it, and ended in order."""
    own = Q(status=states.FAILED, stop_reason__in=IN_ORDER_BUT_NO)
    beside = Q(twin__twin_of__stop_reason__in=IN_ORDER_BUT_NO)
    met = _shadows(release).filter(IN_ORDER, own | beside)
    said = _("A shadow run met a no, and ended in order.")
    return _one(met, "refusal", said, _("No shadow run met a no yet."))


def _recovery(release: Release) -> Item:
    """A run whose worker was killed, and that went on."""
    over = Recovery.objects.filter(run__in=_shadows(release), ended="recovered")
    found = _shadows(release).filter(pk__in=over.values("run"))
    said = _("A shadow run was interrupted, and recovered.")
    return _one(found, "recovery", said, _("No shadow run was interrupted and recovered yet."))


def _one(found: QuerySet[Run], name: str, said: str, other: str) -> Item:
    ids = _ids(found)
    return Item(name, said if ids else other, ids, holds=bool(ids))


def _shadows(release: Release) -> QuerySet[Run]:
    """The shadow runs that began under the candidate since the release did."""
    began = Q(combo=release.candidate_id, created_at__gte=release.begun_at)
    return Run.objects.filter(began, tenant=release.tenant_id, mode=states.SHADOW_MODE)


def _newest(release: Release) -> list[Run]:
    over = _shadows(release).filter(status__in=states.FINAL).select_related("combo", "tenant")
    return list(over.order_by("-id")[:READ_AGAIN])


def _ids(found: QuerySet[Run], *, enough: int = 1) -> tuple[str, ...]:
    """The oldest, no more than are needed: what ends while somebody reads the page changes nothing of
    what was shown."""
    oldest: Iterable[object] = found.order_by("id").values_list("pk", flat=True)[:enough]
    return tuple(str(each) for each in oldest)


OF_TOOL: Final[dict[str, tuple[Callable[[Release, str], Item], ...]]] = {
    rungs.READ: (_same_schema,),
    rungs.DRY_RUN: (_permission,),
    rungs.WRITE: (_success,),
}
OF_RELEASE: Final[dict[str, tuple[Callable[[Release], Item], ...]]] = {
    rungs.READ: (_ended, _none_invalid),
    rungs.DRY_RUN: (_within_tenant, _redacted, _complete),
    rungs.WRITE: (_refusal, _recovery),
}
