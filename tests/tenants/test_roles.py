"""The table of roles names rights that exist, and keeps deciding and doing apart."""

from tenants.models import Tenant
from tenants.roles import ROLES

RIGHTS = {codename for codename, _ in Tenant._meta.permissions}


def test_every_right_of_every_role_exists() -> None:
    assert all(set(codenames) <= RIGHTS for codenames in ROLES.values())


def test_the_owner_has_all_rights() -> None:
    assert set(ROLES["owner"]) == RIGHTS


def test_operators_do_not_approve_and_approvers_do_not_operate() -> None:
    assert "approve_actions" not in ROLES["operator"]
    assert "operate_runs" not in ROLES["approver"]


def test_an_auditor_changes_nothing() -> None:
    assert set(ROLES["auditor"]) == {"view_runs", "read_payloads", "audit"}
