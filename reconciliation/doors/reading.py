"""Whether a door is closed: read before anything is asked of a tool, and again as it is sent."""

from datetime import UTC
from typing import Final

from reconciliation.doors.models import Door
from tenants import database
from tenants.models import Tenant

# By one_door_per_tool_and_tenant: a tool that always answered has no row.
OF_TOOL: Final = "WHERE tenant_id = %(tenant)s AND tool = %(tool)s"
# For the last check: part of the statement that locks the action. Whoever closes a door has taken
# its scope's lock alone (`moving`), and a dispatch holds the same lock shared by then.
KEPT_OUT: Final = """EXISTS (
    SELECT FROM reconciliation_door AS door
     WHERE door.tenant_id = action.tenant_id AND door.tool = action.tool
       AND door.closed_at IS NOT NULL AND door.let_through IS DISTINCT FROM action.id)"""

NUMBERS: Final = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
LOOK: Final = "look:"


def of_tool(tenant_id: int, tool: str) -> Door | None:
    """The door of a tool at a tenant, when it ever stayed silent there."""
    found = database.rows(Door, OF_TOOL, {"tenant": tenant_id, "tool": tool})
    return found[0] if found else None


def closed(tenant: Tenant) -> list[Door]:
    """The closed doors of a tenant, longest closed first."""
    shut = Door.objects.filter(tenant=tenant, closed_at__isnull=False)
    return list(shut.order_by("closed_at")[:50])


def sentence(door: Door) -> str:
    """Why a run waits for it."""
    assert door.closed_at is not None  # noqa: S101 - the caller looked
    since = f"{door.closed_at.astimezone(UTC):%Y-%m-%d %H:%M}"
    if door.by_hand:
        return (
            f"The door of {door.tool} is closed since {since} UTC: {door.closed_by} closed it"
            f" ({door.why}). It goes on when somebody opens it."
        )
    return (
        f"The door of {door.tool} is closed since {since} UTC: {door.why}."
        " It goes on by itself when the tool answers again."
    )


def in_a_row(silent: list[str]) -> str:
    """How many calls in a row got no answer, in words."""
    n = len(silent)
    words = NUMBERS[n - 1] if n <= len(NUMBERS) else str(n)
    if any(call.startswith(LOOK) for call in silent):
        return f"{words} calls in a row without an answer"
    return f"{words} unknown in a row"
