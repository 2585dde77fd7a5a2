"""What a stop is for, what a start or a dispatch falls under, and the locks that let them meet.

Advisory locks of the transaction, one per scope and kind of stop: a stop takes that of its scope
alone, a start or a dispatch takes those of all its scopes, shared. Row locks would do the same,
but write to the row each time, and one stop of one tool would hold up its whole tenant.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from django.db import connection

from canonical import digests
from checkpoints.graph import Graph
from checkpoints.models import Combo, Run, Stop
from tenants.database import Statement, execute
from tenants.models import Tenant

Lock = Literal["new_runs", "effects"]
LOCKS: Final[tuple[Lock, ...]] = ("effects", "new_runs")

# Locks of two numbers never meet those of one (leases, migrations). Two scopes with one number
# only wait for each other, for the time of a commit.
SPACE: Final = 0x53544F50
# In the order of the array: whoever takes several takes them in the same order.
TAKE_SHARED: Final = """
SELECT pg_advisory_xact_lock_shared(%(space)s::int, number)
  FROM unnest(%(numbers)s::int[]) AS number
"""
TAKE_ALONE: Final = "SELECT pg_advisory_xact_lock(%(space)s::int, %(number)s::int)"
# A dispatch under way may wait a second for its own locks; a stop outwaits it, and never fails for it.
BE_PATIENT: Final = "SET LOCAL lock_timeout = '10s'"


@dataclass(frozen=True)
class Scope:
    """What a stop is for: everything, or a tenant, and there all of it, or one thing of it.

    At most one of `task_type`, `combo` and `tool`; without a tenant it holds for every tenant.
    """

    tenant: Tenant | None = None
    task_type: str = ""
    combo: Combo | None = None
    tool: str = ""

    def __post_init__(self) -> None:
        if sum(map(bool, (self.task_type, self.combo, self.tool))) > 1:
            raise ValueError("a stop is for one thing: a task type, a combo or a tool")

    @classmethod
    def of(cls, where: "Scope | Tenant | None") -> "Scope":
        """A scope as it is; a tenant as a whole; None as everything."""
        return where if isinstance(where, Scope) else cls(where)

    @classmethod
    def of_stop(cls, stop: Stop) -> "Scope":
        """What a stop is for."""
        return cls(stop.tenant, stop.task_type, stop.combo, stop.tool)

    @property
    def tenant_id(self) -> int | None:
        return self.tenant.pk if self.tenant else None

    def number(self, lock: str) -> int:
        """The number of its lock."""
        for kind, name in (
            ("task", self.task_type),
            ("combo", str(self.combo.pk) if self.combo else ""),
            ("tool", self.tool),
        ):
            if name:
                return _number(lock, kind, name, self.tenant_id)
        return _number(lock, "all", "", self.tenant_id)

    def fields(self) -> dict[str, object]:
        """The columns of a stop of exactly this scope."""
        return {
            "tenant": self.tenant,
            "task_type": self.task_type,
            "combo": self.combo,
            "tool": self.tool,
        }

    def __str__(self) -> str:
        where = self.tenant.slug if self.tenant else "everything"
        for kind, name in (("task type", self.task_type), ("tool", self.tool)):
            if name:
                return f"{kind} {name} of {where}"
        return f"combo {self.combo} of {where}" if self.combo else where


@dataclass(frozen=True)
class Under:
    """What a start or a dispatch falls under: a stop of any of these holds it back.

    `tools`: the one to be called, or for a start all that the task may use.
    """

    tenant_id: int
    task_type: str
    combo_id: int
    tools: tuple[str, ...]

    @classmethod
    def of_start(cls, wanted: Run, graph: Graph) -> "Under":
        """What the start of a run of this graph falls under."""
        return cls(wanted.tenant_id, wanted.task_type, wanted.combo_id, tuple(graph.manifest.tools))

    def numbers(self, lock: str) -> list[int]:
        """The numbers of all its locks, in the one order in which they are taken."""
        names = [("all", ""), ("task", self.task_type), ("combo", str(self.combo_id))]
        names += [("tool", tool) for tool in self.tools]
        return sorted(
            {_number(lock, *name, tenant) for name in names for tenant in (None, self.tenant_id)}
        )


def take_alone(scope: Scope, lock: str) -> None:
    """Inside a transaction: wait for all that goes on in the scope, and keep what is new out."""
    with connection.cursor() as cursor:
        cursor.execute(BE_PATIENT)
    execute(TAKE_ALONE, {"space": SPACE, "number": scope.number(lock)})


def sharing(under: Under, lock: str) -> Statement:
    """What keeps stops of all these scopes out until its transaction ends."""
    return TAKE_SHARED, {"space": SPACE, "numbers": under.numbers(lock)}


@lru_cache(maxsize=4096)
def _number(lock: str, kind: str, name: str, tenant_id: int | None) -> int:
    digest = digests.tagged("stop-lock", [lock, kind, name, tenant_id])
    return int.from_bytes(bytes.fromhex(digest)[:4], "big", signed=True)
