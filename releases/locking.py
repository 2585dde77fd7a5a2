"""A release under its lock: whatever is judged of it is read after that, and by whom it may be moved."""

from uuid import UUID

from releases.beginning import RIGHT
from releases.models import Release
from tenants import access
from tenants.errors import Denied
from tenants.models import User


def locked(release_id: UUID) -> Release:
    """The release, locked, with what it is about."""
    found = Release.objects.select_for_update(of=("self",))
    return found.select_related("tenant", "candidate", "stable").get(pk=release_id)


def locked_by(release_id: UUID, user: User) -> Release:
    """The same for a person who manages releases of its tenant. Raises `Denied`."""
    release = locked(release_id)
    if user.pk not in access.who_may(release.tenant_id, RIGHT, [user.pk]):
        raise Denied(release.tenant_id, RIGHT)
    return release
