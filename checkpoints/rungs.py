"""How far a combo may go with a tool at a tenant: fake, read, dry run, write. Each contains those before.

Without a step the combo that new runs get may write, and so may every combo of a task that was never
released at the tenant; any other combo may do nothing (`kedge_rung`, the one place that says so).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from django.db import connection

from canonical import digests
from canonical.redaction import Redacted, ours
from checkpoints import versions
from checkpoints.errors import IllegalMoveError
from checkpoints.models import Combo, Run, RungStep
from tenants import audit
from tenants.actors import Actor
from tenants.database import Rows, Statement, execute
from tenants.keys import hiding
from tenants.models import Tenant, User

FAKE: Final = "fake"
READ: Final = "read"
DRY_RUN: Final = "dry_run"
WRITE: Final = "write"
RUNGS: Final = (FAKE, READ, DRY_RUN, WRITE)

LADDERS: Final = 0x4B524E47  # "KRNG": the first half of an advisory lock, the combo is the second
ALONE: Final = "SELECT pg_advisory_xact_lock(%(space)s, %(combo)s)"
SHARED: Final = "SELECT pg_advisory_xact_lock_shared(%(space)s, %(combo)s)"
STANDS: Final = "SELECT kedge_rung(%(tenant)s, %(combo)s, %(tool)s)"
ALL: Final = """
SELECT tool, kedge_rung(%(tenant)s, %(combo)s, tool) FROM unnest(%(tools)s::text[]) AS tool
"""


def of(tenant_id: int, combo_id: int, tool: str) -> str:
    """Where a combo stands with a tool, now."""
    [[stands]] = execute(STANDS, {"tenant": tenant_id, "combo": combo_id, "tool": tool})
    return str(stands)


def all_of(tenant_id: int, combo_id: int, tools: list[str]) -> dict[str, str]:
    """Where a combo stands with each of these tools, in their order."""
    found = execute(ALL, {"tenant": tenant_id, "combo": combo_id, "tools": tools})
    return {str(tool): str(stands) for tool, stands in found}


def reaches(stands: str, needed: str) -> bool:
    """Whether who stands there may do what needs that rung."""
    return RUNGS.index(stands) >= RUNGS.index(needed)


def next_up(stands: str) -> str:
    """The rung above; "" at the top."""
    at = RUNGS.index(stands) + 1
    return RUNGS[at] if at < len(RUNGS) else ""


def keeping_still(tenant_id: int, combo_id: int, tool: str) -> list[Statement]:
    """What keeps steps of the combo out until its transaction ends, then reads; see `may_write`."""
    return [
        (SHARED, {"space": LADDERS, "combo": combo_id}),
        (STANDS, {"tenant": tenant_id, "combo": combo_id, "tool": tool}),
    ]


def may_write(_locked: Rows, stands: Rows) -> bool:
    """Judge what `keeping_still` found."""
    return str(stands[0][0]) == WRITE


@dataclass(frozen=True)
class Step:
    """A step of one tool to a rung; `evidence` is canonical JSON of what was shown for it."""

    tool: str
    to: str
    why: Redacted
    evidence: bytes = b""


def step(tenant: Tenant, combo: Combo, wanted: Step, *, user: User) -> RungStep:
    """Inside a transaction: one rung up with evidence, or down as far as one likes.

    What is being sent is waited for: when it returns, nothing above the new rung goes out. Whether
    the person may, and what the evidence is worth, is judged above. Raises `IllegalMoveError`.
    """
    with connection.cursor() as cursor:
        cursor.execute(ALONE, {"space": LADDERS, "combo": combo.pk})
    before = of(tenant.pk, combo.pk, wanted.tool)
    if wanted.to not in RUNGS or wanted.to == before:
        raise IllegalMoveError(
            f"{wanted.tool} stands at {before}; {wanted.to} is no step from there"
        )
    if reaches(wanted.to, before) and wanted.to != next_up(before):
        raise IllegalMoveError(f"{wanted.tool} stands at {before}; one rung at a time leads up")
    if reaches(wanted.to, before) and not wanted.evidence:
        raise IllegalMoveError("a step up needs evidence of the rung below it")
    return _kept(tenant, combo, wanted, before=before, user=user)


def ran_before(tenant: Tenant, combos: Iterable[Combo], *, user: User) -> int:
    """Inside a transaction: what ran here before the first release of its task stays at the top."""
    kept = 0
    for combo in combos:
        for tool in tools_of(combo):
            if RungStep.objects.filter(tenant=tenant, combo=combo, tool=tool).exists():
                continue
            why = ours("It ran here before the first release of its task.")
            _kept(tenant, combo, Step(tool, WRITE, why), before="", user=user)
            kept += 1
    return kept


def begins(tenant: Tenant, combo: Combo, *, user: User) -> int:
    """Inside a transaction: a candidate that nobody took a step begins at the bottom, also where it
    is declared to succeed what stands higher."""
    stepped = 0
    for tool in tools_of(combo):
        steps = RungStep.objects.filter(tenant=tenant, combo=combo, tool=tool)
        if of(tenant.pk, combo.pk, tool) != FAKE and not steps.exists():
            step(tenant, combo, Step(tool, FAKE, ours("Its release begins.")), user=user)
            stepped += 1
    return stepped


def tools_of(combo: Combo) -> list[str]:
    """The tools that a combo names, sorted."""
    return sorted(versions.of(combo).tools)


def unfinished(tenant: Tenant, task_type: str) -> list[Combo]:
    """The combos of the live runs of a task that are not over."""
    live = Run.objects.filter(tenant=tenant, task_type=task_type, mode="live", finished_at=None)
    return list(Combo.objects.filter(pk__in=live.values("combo")).order_by("pk"))


def _kept(tenant: Tenant, combo: Combo, wanted: Step, *, before: str, user: User) -> RungStep:
    """Relies on steps_of_a_ladder_are_numbered: of two at once the second is refused."""
    earlier = RungStep.objects.filter(tenant=tenant, combo=combo, tool=wanted.tool)
    last = earlier.order_by("-number").values_list("number", flat=True).first() or 0
    digest = digests.sha256_hex(wanted.evidence) if wanted.evidence else ""
    made = RungStep.objects.create(
        tenant=tenant,
        combo=combo,
        tool=wanted.tool,
        number=last + 1,
        before=before,
        after=wanted.to,
        why=str(wanted.why),
        evidence=wanted.evidence,
        digest=digest,
        made_by=user,
    )
    about = ours("combo %(combo)s", combo=hiding.text(combo.hex))
    told = hiding.texts(tool=wanted.tool, before=before, after=wanted.to, evidence=digest)
    audit.record(tenant, Actor.person(user), "stepped on ladder", about, why=wanted.why, **told)
    return made
