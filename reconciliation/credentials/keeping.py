"""Keeps what is known of credentials: noted by whoever manages the tenant, checked by the engine."""

import logging
import re
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from django.db import transaction
from django.db.models.functions import Now

from approvals import clock
from canonical.redaction import Redacted, ours
from reconciliation.credentials.models import (
    INVALID,
    NEVER,
    UNANSWERED,
    VALID,
    Credential,
)
from reconciliation.doors import reading as doors
from reconciliation.errors import CredentialRefusedError
from reconciliation.tools import CredentialInvalid, Tool, Unanswered
from tenants import access, audit
from tenants.actors import Actor
from tenants.errors import Denied
from tenants.keys import hiding
from tenants.models import Tenant, User

log = logging.getLogger(__name__)

MANAGE: Final = "manage_tenant"
SOON: Final = timedelta(days=14)
FRESH: Final = timedelta(minutes=1)
LONGEST_SAID: Final = 500
# What was checked, and warned of, was the one before; this one is checked at once.
UNCHECKED: Final[dict[str, Any]] = {
    "noted_at": Now(),
    "wanted_at": Now(),
    "asking_until": None,
    "checked_at": None,
    "result": NEVER,
    "said": "",
    "told_expires_at": None,
    "warned_days": None,
}

_REFERENCE = re.compile(r"env:[A-Za-z_][A-Za-z0-9_]*|file:/\S+|vault:\S+")


@dataclass(frozen=True)
class Noted:
    """What a person says of a credential: a reference to it, never the secret."""

    acting_identity: str
    kept_at: str
    version: str
    expires_at: datetime | None


def note(tenant: Tenant, tool: str, noted: Noted, *, owner: User, user: User) -> Credential:
    """Note with which credential a tool acts for a tenant; `owner` is asked when it expires.

    Raises `Denied`, and `CredentialRefusedError` for what is no reference or an owner of no right.
    """
    if user.pk not in access.who_may(tenant.pk, MANAGE, [user.pk]):
        raise Denied(tenant.pk, MANAGE)
    if not _REFERENCE.fullmatch(noted.kept_at):
        raise CredentialRefusedError(
            "Say where it is kept, as env:NAME, file:/path or vault:path; never what it is."
        )
    if not access.of(owner).sees(tenant.pk):
        raise CredentialRefusedError(f"{owner} has no right at {tenant.name}.")
    facts = asdict(noted) | {"owner": owner}
    with transaction.atomic():
        before = Credential.objects.select_for_update().filter(tenant=tenant, tool=tool).first()
        credential, _ = Credential.objects.update_or_create(
            tenant=tenant, tool=tool, defaults=facts | UNCHECKED
        )
        audit.record(
            tenant,
            Actor.person(user),
            "note_credential",
            hiding.text(f"credential:{tool}"),
            acting_identity=hiding.text(noted.acting_identity),
            kept_at=hiding.text(noted.kept_at),
            version=hiding.text(noted.version),
            was=hiding.text(before.version if before else ""),
            owner=ours("%(id)s", id=owner.pk),
            expires_at=noted.expires_at or ours(""),
        )
    credential.refresh_from_db()
    return credential


def check(credential: Credential, tool: Tool) -> Credential:
    """Ask the tool whether the credential works, and keep what it said; not within a transaction.

    Raises whatever `check_credential` raises, `CredentialInvalid` also for one that is expired.
    """
    try:
        _refuse_expired(credential)
        tool.check_credential(credential.tenant.slug)
    except CredentialInvalid as error:
        _keep(credential, INVALID, hiding.text(str(error)))
        raise
    except Exception as error:
        _keep(credential, UNANSWERED, hiding.text(f"{type(error).__name__}: {error}"))
        raise
    _keep(credential, VALID, hiding.text(""), _told(tool, credential.tenant))
    return credential


def check_before_going_on(tenant: Tenant, tools: dict[str, Tool]) -> None:
    """The re-check of a run: every noted credential of its tools works, as of a minute ago.

    Raises `CredentialInvalid` naming the tool, the identity and whom to ask. A tool that does not
    answer stops nobody here: it is asked again before anything is sent.
    """
    known = Credential.objects.filter(tenant=tenant, tool__in=list(tools)).order_by("tool")
    for credential in known.select_related("tenant", "owner"):
        if _is_fresh(credential) or _is_kept_out(tenant, credential.tool):
            continue
        try:
            check(credential, tools[credential.tool])
        except CredentialInvalid as error:
            raise CredentialInvalid(
                f"{credential.tool} acts as {credential.acting_identity}, and that does not work: "
                f"{error}. {credential.owner} keeps this credential.",
                tool=credential.tool,
            ) from error
        except Unanswered:
            continue


def expires_soon(credential: Credential, now: datetime) -> bool:
    """Whether it is time to warn: it expires within a fortnight, or has."""
    return credential.ends_at is not None and credential.ends_at - now < SOON


def _refuse_expired(credential: Credential) -> None:
    ends_at = credential.ends_at
    if ends_at is not None and ends_at <= clock.now():
        raise CredentialInvalid(f"it expired on {ends_at:%Y-%m-%d %H:%M} UTC")


def _is_fresh(credential: Credential) -> bool:
    """Asked a moment ago, and good or silent: who does not answer is not asked by every run."""
    now, checked = clock.now(), credential.checked_at
    good = credential.ends_at is None or credential.ends_at > now
    lately = checked is not None and now - checked < FRESH
    return good and lately and credential.result in (VALID, UNANSWERED)


def _is_kept_out(tenant: Tenant, tool: str) -> bool:
    """Behind a closed door nothing is asked; before anything is sent it is asked again."""
    door = doors.of_tool(tenant.pk, tool)
    return door is not None and door.is_closed


def _told(tool: Tool, tenant: Tenant) -> datetime | None:
    """Until when the tool itself says that its credential is good; None when it cannot tell."""
    tells = getattr(tool, "credential_expires_at", None)
    if tells is None:
        return None
    try:
        told: datetime | None = tells(tenant.slug)
    except Exception as error:  # a date that cannot be told is no trouble of the credential's
        log.info("%s does not say when its credential ends: %s", tool.name, error)
        return None
    return told


def _keep(
    credential: Credential, result: str, said: Redacted, told: datetime | None = None
) -> None:
    known = {"told_expires_at": told} if result == VALID else {}
    # Only of the credential that was checked: another may have been noted meanwhile.
    Credential.objects.filter(pk=credential.pk, noted_at=credential.noted_at).update(
        checked_at=Now(),
        result=result,
        said=str(said)[:LONGEST_SAID],
        wanted_at=None,
        asking_until=None,
        **known,
    )
