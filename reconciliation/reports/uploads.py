"""A report as it was uploaded: checked, encrypted, and kept until its person says how it is read."""

import base64
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models.functions import Now

from canonical import json as canonical
from reconciliation.reports import files
from reconciliation.reports.errors import ReportRefusedError
from reconciliation.reports.files import Table, UnreadableReportError
from reconciliation.reports.models import Draft
from tenants import access
from tenants.errors import Denied
from tenants.keys import hiding
from tenants.keys.vaults import Vault
from tenants.models import Tenant, User

RIGHT: Final = "reconcile_actions"
LONGEST_NAME: Final = 200


@dataclass(frozen=True)
class Upload:
    """A file as it was uploaded, whose tool it is of, and the time it covers."""

    tool: str
    name: str
    content: bytes
    since: datetime
    until: datetime

    @property
    def called(self) -> str:
        """The name of the file as it may be kept and shown."""
        return str(hiding.text(self.name))[:LONGEST_NAME]

    def table(self) -> Table:
        """What is read of it, whatever its columns mean. Raises `ReportRefusedError`."""
        if self.since >= self.until:
            raise ReportRefusedError("The report ends before it begins: exchange the two times.")
        try:
            return files.read(self.content)
        except UnreadableReportError as error:
            raise ReportRefusedError(f"{self.called}: {error}.") from error


def refuse_without_right(tenant: Tenant, user: User) -> None:
    """Raises `Denied` for who may not reconcile here."""
    if user.pk not in access.who_may(tenant.pk, RIGHT, [user.pk]):
        raise Denied(tenant.pk, RIGHT)


def lay_down(tenant: Tenant, upload: Upload, *, user: User) -> Draft:
    """Keep a file until its person says how it is read; it replaces the one before.

    Raises `Denied`, and `ReportRefusedError` for what cannot be read whatever its columns mean.
    """
    refuse_without_right(tenant, user)
    upload.table()
    draft, _ = Draft.objects.update_or_create(
        tenant=tenant,
        by=user,
        defaults={
            "tool": upload.tool,
            "name": upload.called,
            "content": sealed(tenant, upload.content),
            "since": upload.since,
            "until": upload.until,
            "at": Now(),
        },
    )
    return draft


def waiting(tenant: Tenant, user: User) -> Upload | None:
    """What this person has uploaded and not matched yet. Raises `KeysError`."""
    kept = Draft.objects.filter(tenant=tenant, by=user).first()
    if kept is None:
        return None
    content = unsealed(tenant.pk, kept.content)
    return Upload(kept.tool, kept.name, content, kept.since, kept.until)


def waits(tenant: Tenant, user: User) -> bool:
    """Whether there is one."""
    return Draft.objects.filter(tenant=tenant, by=user).exists()


def throw_away(tenant: Tenant, *, user: User) -> None:
    """Forget what this person uploaded and did not match."""
    Draft.objects.filter(tenant=tenant, by=user).delete()


def sealed(tenant: Tenant, content: bytes) -> bytes:
    """A file encrypted under the tenant's key."""
    # A vault of its own: the whole file is no value that has to be found again in what is said.
    vault = Vault(tenant.pk)
    return canonical.dumps(vault.encrypted_whole(base64.b64encode(content).decode()))


def unsealed(tenant_id: int, content: bytes | memoryview) -> bytes:
    """The file's own bytes. Raises `KeysError`."""
    return base64.b64decode(Vault(tenant_id).decrypted(canonical.loads(bytes(content))))
