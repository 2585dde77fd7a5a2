"""Addresses of pages that live in other apps; "" for a page this installation does not have."""

from uuid import UUID

from django.urls import NoReverseMatch, reverse

from tenants.models import Tenant

INBOX = "inbox"
REQUEST = "approvals:request"
CASE = "reconciliation:case"
ACTION = "reconciliation:action"


def place(name: str, tenant: Tenant, *more: UUID | str | int) -> str:
    """The address of a page of this tenant by the name of its URL."""
    try:
        return reverse(name, args=[tenant.slug, *more])
    except NoReverseMatch:
        return ""
