"""The tenant's registry of reversibility: which class its tools have, said by people, never tools."""

from typing import Final

from django.db import transaction

from approvals import clock, states
from approvals.errors import ClassMovedError, ClassProofNeededError, ReasonMissingError
from approvals.models import ApprovalRequest, ToolClass
from approvals.rules.classes import CLASSES, IRREVERSIBLE, danger
from checkpoints import scopes
from checkpoints.scopes import Scope
from tenants import access, audit
from tenants.actors import Actor
from tenants.database import Rows, Statement, execute
from tenants.errors import Denied
from tenants.keys import hiding
from tenants.models import Tenant, User

# Index: tool_classes_newest_first.
NEWEST: Final = """
SELECT reversibility FROM approvals_toolclass
 WHERE tenant_id = %(tenant)s AND tool = %(tool)s ORDER BY id DESC LIMIT 1
"""
LONGEST_TOOL: Final = 64
MOST_TOOLS: Final = 500
MOST_SAID: Final = 50
COUNTED_TO: Final = 1_000


def class_of(tenant_id: int, tool: str) -> str:
    """The class of a tool at a tenant; the most dangerous one while nobody has said anything."""
    return said(execute(*saying(tenant_id, tool)))


def saying(tenant_id: int, tool: str) -> Statement:
    """What asks for the class of a tool at a tenant; `said` reads the answer."""
    return NEWEST, {"tenant": tenant_id, "tool": tool}


def said(found: Rows) -> str:
    """The class, by the rows of `saying`."""
    return str(found[0][0]) if found else IRREVERSIBLE


def classes_of(tenant: Tenant) -> list[ToolClass]:
    """What holds for each tool that the tenant has spoken about, by name of the tool."""
    newest = ToolClass.objects.filter(tenant=tenant).order_by("tool", "-id").distinct("tool")
    return list(newest[:MOST_TOOLS])


def said_at(tenant: Tenant) -> list[ToolClass]:
    """All that was said at a tenant, newest first, at most `MOST_SAID`."""
    return list(ToolClass.objects.filter(tenant=tenant).order_by("-id")[:MOST_SAID])


def asked_anew(tenant_id: int, tool: str, reversibility: str) -> dict[str, int]:
    """What a class would undo: how many open questions, and approvals not used, were put under a
    milder one. When they are to be sent, nothing is sent and people are asked anew.

    By state of the request, each counted up to `COUNTED_TO`.
    """
    milder = [each for each in CLASSES if danger(each) < danger(reversibility)]
    waiting = ApprovalRequest.objects.filter(
        tenant_id=tenant_id,
        tool=tool,
        expires_at__gt=clock.ClockTimestamp(),
        requirement__reversibility__in=milder,
    )
    return {
        state: waiting.filter(state=state)[: COUNTED_TO + 1].count()
        for state in (states.OPEN, states.APPROVED)
    }


def set_class(
    tenant: Tenant,
    tool: str,
    reversibility: str,
    *,
    actor: Actor,
    why: str,
    seen: str | None = None,
) -> ToolClass:
    """Say from now on which class a tool has at a tenant; what waits is judged by it when sent.

    `seen` is the class that the person was shown, None for a command. A person proves that it is
    them, by the database's clock, under the lock of the tenant.

    A person needs `manage_tenant`, else `Denied`. Raises `ReasonMissingError`,
    `ClassProofNeededError`, `ClassMovedError`, and ValueError for a class or a tool that cannot be.
    """
    if reversibility not in CLASSES:
        raise ValueError(f"unknown class {reversibility!r}; known: {', '.join(CLASSES)}")
    if not 1 <= len(tool) <= LONGEST_TOOL:
        raise ValueError(f"a tool's name has 1 to {LONGEST_TOOL} characters")
    if not why.strip():
        raise ReasonMissingError(f"class of {tool} at {tenant.slug}")
    with transaction.atomic():
        # Every dispatch of the tool here holds this shared and judges under it: what is under way
        # is waited for, and what comes after sees the new class.
        scopes.take_alone(Scope(tenant, tool=tool), "effects")
        Tenant.objects.select_for_update(no_key=True).get(pk=tenant.pk)
        _admit(tenant, tool, actor)
        was = class_of(tenant.pk, tool)
        if seen is not None and was != seen:
            raise ClassMovedError(f"{tool} at {tenant.slug}: {was}")
        said = ToolClass.objects.create(
            tenant=tenant, tool=tool, reversibility=reversibility, why=why, set_by=actor.name
        )
        told = {"tool": tool, "was": was, "is": reversibility, "why": why}
        facts = hiding.texts(**told)
        subject = hiding.text(f"tool:{tool}")
        audit.record(tenant, actor, "classify_tool", subject, **facts, **actor.proof_told())
    return said


def _admit(tenant: Tenant, tool: str, actor: Actor) -> None:
    if actor.kind == "machine":  # a command of whoever runs this installation
        return
    user = User.objects.filter(pk=actor.user_id).first() if actor.user_id else None
    if user is None or not access.of(user).may(tenant.pk, "manage_tenant"):
        raise Denied(tenant.pk, "manage_tenant")
    if not actor.is_proved(clock.now()):
        raise ClassProofNeededError(f"class of {tool} at {tenant.slug}")
