"""Keeping keys: wrap all anew after the ring has a newer key, check that all open, erase a person."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from django.db import transaction
from django.db.models import Count, QuerySet
from django.db.models.functions import Now

from canonical.redaction import ours
from tenants import audit
from tenants.actors import Actor
from tenants.keys import datakeys, hiding, people
from tenants.keys.datakeys import TENANT
from tenants.keys.errors import KeyRingError, KeysError
from tenants.keys.models import DataKey, PersonKey
from tenants.models import Tenant, User

AT_ONCE = 200
KINDS: Final = (DataKey, PersonKey)  # all that the ring wraps


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
    total, done = sum(_older(kind, newest).count() for kind in KINDS), 0
    yield done, total
    for kind in KINDS:
        while count := _wrap_some(kind, newest):
            done += count
            yield done, max(total, done)
    yield done, max(total, done)
    ring = ours("key ring")
    audit.record(None, actor, "rotate_keys", ring, newest=hiding.text(newest), wrapped=done)


def standings() -> list[Standing]:
    """Every ring key that is in use, with what is wrong with it; the newest first, used or not."""
    keys, used = datakeys.key_ring(), Counter[str]()
    for kind in KINDS:
        by_key = kind.objects.filter(erased_at=None).values_list("wrapped_by")
        used.update(dict(by_key.annotate(Count("pk")).order_by("wrapped_by")))
    ids = [*keys.keys, *(key_id for key_id in sorted(used) if key_id not in keys.keys)]
    return [Standing(key_id, used.get(key_id, 0), _problem_of(key_id)) for key_id in ids]


def erase(tenant: Tenant, subject: str, *, actor: Actor, reason: str) -> DataKey:
    """Destroy the key of one person at one tenant: what is about them can never be read again.

    A turn under way still has it open: `checkpoints.erasures` ends those too, and is what to call.
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
        key = ours("data key %(id)s", id=row.pk)
        audit.record(tenant, actor, "erase", key, reason=hiding.text(reason))
    row.refresh_from_db()
    return row


def was_erased(tenant: Tenant, subject: str) -> bool:
    """Whether a key of this person at this tenant was destroyed before."""
    person = datakeys.live(tenant.pk, TENANT).person(subject)
    return DataKey.objects.filter(tenant=tenant, person=person, erased_at__isnull=False).exists()


def erase_own(person: User, *, actor: Actor, reason: str) -> PersonKey:
    """Destroy a person's own key: their apps, recovery codes and webhook can never be read again.

    Their password alone still signs nobody in: the second factor is asked for, and never answered.
    Raises `KeysError` when there is no such key.
    """
    with transaction.atomic():
        live = PersonKey.objects.select_for_update().filter(person=person, erased_at=None)
        row = live.first()
        if row is None:
            raise KeysError(
                f"{person.email} has nothing here that is encrypted under their own key."
            )
        PersonKey.objects.filter(pk=row.pk).update(wrapped=None, erased_at=Now())
        key = ours("person key %(id)s", id=row.pk)
        audit.record(None, actor, "erase", key, reason=hiding.text(reason))
    row.refresh_from_db()
    return row


def _older(kind: type[DataKey] | type[PersonKey], newest: str) -> QuerySet[Any]:
    return kind.objects.filter(erased_at=None).exclude(wrapped_by=newest)


def _wrap_some(kind: type[DataKey] | type[PersonKey], newest: str) -> int:
    with transaction.atomic():
        old = _older(kind, newest).order_by("pk").select_for_update(of=("self",))
        rows: list[DataKey | PersonKey] = list(old[:AT_ONCE])
        for row in rows:
            _wrap_anew(row)
    return len(rows)


def _wrap_anew(row: DataKey | PersonKey) -> None:
    keys = datakeys.key_ring()
    type(row).objects.filter(pk=row.pk).update(
        wrapped=keys.wrap(_secret(row), about=_about(row)), wrapped_by=keys.newest
    )


def _problem_of(key_id: str) -> str:
    for kind in KINDS:
        row = kind.objects.filter(wrapped_by=key_id, erased_at=None).first()
        try:
            if row is not None:
                _secret(row)
        except KeyRingError as error:
            return str(error)
    return ""


def _secret(row: DataKey | PersonKey) -> bytes:
    assert row.wrapped is not None  # noqa: S101 - only live keys were asked for
    return datakeys.key_ring().unwrap(row.wrapped_by, bytes(row.wrapped), about=_about(row))


def _about(row: DataKey | PersonKey) -> bytes:
    return datakeys.about(row) if isinstance(row, DataKey) else people.about(row)
