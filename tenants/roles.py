"""The roles people get at a tenant: each is a group of rights, and this table is all there is."""

from typing import Final

ROLES: Final[dict[str, tuple[str, ...]]] = {
    # Sees why runs are stuck, starts and stops them, resolves unknown outcomes.
    "operator": ("view_runs", "read_payloads", "operate_runs", "reconcile_actions"),
    # Reads what would be sent, and allows or rejects it.
    "approver": ("view_runs", "read_payloads", "approve_actions"),
    # Reads everything, changes nothing.
    "auditor": ("view_runs", "read_payloads", "audit"),
    # All of the above, and the tenant's people and releases.
    "owner": (
        "view_runs",
        "read_payloads",
        "operate_runs",
        "approve_actions",
        "reconcile_actions",
        "manage_releases",
        "manage_tenant",
        "audit",
    ),
}
