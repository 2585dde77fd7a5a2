"""Keeping keys: wrap all anew after the ring has a newer key, check that all open, erase a person."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Count
from django.db.models.functions import Now

from tenants import audit
from tenants.actors import Actor
from tenants.keys import datakeys
from tenants.keys.datakeys import TENANT
from tenants.keys.errors import KeyRingError, KeysError
from tenants.keys.models import DataKey
from tenants.models import Tenant

AT_ONCE = 200


@dataclass(frozen=True)
class Standing:
    """One key of the ring, and how many data keys it wraps; `problem` says why they do not open."""

    ring_key: str
    wraps: int
    problem: str = ""


def rotate(*, actor: Actor) -> Iterator[tuple[int, int]]:
    """Wrap every data key with the newest key of the ring; yields how many are done, of how many.

    Safe beside running workers, and to be killed anywhere: each key opens before and after. Raises
    `KeyRingError` when one does not open; those done before stay done.
    """
    newest = datakeys.key_ring().newest
    old = DataKey.objects.filter(erased_at=None).exclude(wrapped_by=newest)
    total, done = old.count(), 0
    yield done, total
    while True:
        with transaction.atomic():
            rows = list(old.order_by("pk").select_for_update(of=("self",))[:AT_ONCE])
            for row in rows:
                _wrap_anew(row)
        done += len(rows)
        if not rows:
            break
        yield done, max(total, done)
    audit.record(None, actor, "rotate_keys", "key ring", newest=newest, wrapped=done)


def standings() -> list[Standing]:
    """Every ring key that is in use, with what is wrong with it; the newest first, used or not."""
    keys = datakeys.key_ring()
    used = dict(
        DataKey.objects.filter(erased_at=None)
        .values_list("wrapped_by")
        .annotate(Count("pk"))
        .order_by("wrapped_by")
    )
    ids = [*keys.keys, *(key_id for key_id in used if key_id not in keys.keys)]
    return [Standing(key_id, used.get(key_id, 0), _problem_of(key_id)) for key_id in ids]


def erase(tenant: Tenant, subject: str, *, actor: Actor, reason: str) -> DataKey:
    """Destroy the key of one person at one tenant: what is about them can never be read again.

    Digests, chains and approvals stay as they are. Raises `KeysError` when there is no such key.
    """
    with transaction.atomic():
        person = datakeys.live(tenant.pk, TENANT).person(subject)
        row = (
            DataKey.objects.select_for_update()
            .filter(tenant=tenant, person=person, erased_at=None)
            .first()
        )
        if row is None:
            raise KeysError(
                f"Nothing at {tenant.slug} is encrypted for this person; write them exactly as "
                "x-subject names them in the data."
            )
        DataKey.objects.filter(pk=row.pk).update(wrapped=None, erased_at=Now())
        # Who it was must not stay in the trail: the key's id is enough to find what it encrypted.
        audit.record(tenant, actor, "erase", f"data key {row.pk}", reason=reason)
    row.refresh_from_db()
    return row


def _wrap_anew(row: DataKey) -> None:
    assert row.wrapped is not None  # noqa: S101 - only live keys were asked for
    keys, about = datakeys.key_ring(), datakeys.about(row)
    secret = keys.unwrap(row.wrapped_by, bytes(row.wrapped), about=about)
    DataKey.objects.filter(pk=row.pk).update(
        wrapped=keys.wrap(secret, about=about), wrapped_by=keys.newest
    )


def _problem_of(key_id: str) -> str:
    row = DataKey.objects.filter(wrapped_by=key_id, erased_at=None).first()
    if row is None:
        return ""
    try:
        datakeys.opened(row)
    except KeyRingError as error:
        return str(error)
    return ""
