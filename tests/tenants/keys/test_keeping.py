"""Rotation re-wraps and loses nothing; erasure is for ever; a wrong key says which and what to do."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction
from pytest_django import Settings

from canonical import json as canonical
from canonical import redaction
from tenants.actors import Actor
from tenants.keys import datakeys, keeping
from tenants.keys.errors import ErasedError, KeyRingError
from tenants.keys.models import DataKey
from tenants.keys.vaults import Vault
from tenants.models import AuditRow
from tests.people import make_tenant
from tests.tenants.keys.rings import NEW, OLD, entry
from tests.tenants.keys.test_vaults import SCHEMA, VALUE

pytestmark = pytest.mark.django_db

SHELL = Actor.machine("test")


@pytest.fixture
def content(settings: Settings) -> bytes:
    """Something encrypted while the ring had only the old key."""
    settings.KEDGE_KEYS = entry("old", OLD)
    return encrypt()


def encrypt(slug: str = "acme") -> bytes:
    return Vault(make_tenant(slug).pk).encrypted_bytes(canonical.dumps(VALUE), SCHEMA)


def decrypt(content: bytes) -> bytes:
    return Vault(make_tenant().pk).decrypted_bytes(content)


def keys(*words: str) -> str:
    out = StringIO()
    call_command("keys", *words, stdout=out)
    return out.getvalue()


def test_old_keys_stay_readable_until_they_are_removed(content: bytes, settings: Settings) -> None:
    settings.KEDGE_KEYS = f"{entry('new', NEW)},{entry('old', OLD)}"
    assert decrypt(content) == canonical.dumps(VALUE)
    assert encrypt() == content


def test_after_a_rotation_the_old_key_is_not_needed(content: bytes, settings: Settings) -> None:
    settings.KEDGE_KEYS = f"{entry('new', NEW)},{entry('old', OLD)}"
    assert "2 of 2 data keys wrapped anew" in keys("rotate")
    settings.KEDGE_KEYS = entry("new", NEW)
    assert decrypt(content) == canonical.dumps(VALUE)
    assert encrypt() == content
    assert AuditRow.objects.get(verb="rotate_keys").detail == {"newest": "new", "wrapped": 2}


def test_a_rotation_that_was_killed_goes_on(
    content: bytes, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        encrypt(f"t{number}")
    settings.KEDGE_KEYS = f"{entry('new', NEW)},{entry('old', OLD)}"
    monkeypatch.setattr(keeping, "AT_ONCE", 2)
    begun = keeping.rotate(actor=SHELL)
    assert [next(begun), next(begun)] == [(0, 8), (2, 8)]
    assert DataKey.objects.filter(wrapped_by="new").count() == 2
    assert decrypt(content) == canonical.dumps(VALUE)
    assert list(keeping.rotate(actor=SHELL))[-1] == (6, 6)
    assert not DataKey.objects.filter(wrapped_by="old").exists()


def test_a_missing_key_is_named_with_the_next_step(content: bytes, settings: Settings) -> None:
    settings.KEDGE_KEYS = entry("new", NEW)
    with pytest.raises(KeyRingError, match=r"no key 'old'.*Add it again behind 'new'"):
        decrypt(content)
    with pytest.raises(CommandError, match="cannot be read"):
        keys("check")
    with pytest.raises(CommandError, match="no key 'old'"):
        keys("rotate")


def test_another_key_under_the_same_id_is_named(content: bytes, settings: Settings) -> None:
    settings.KEDGE_KEYS = entry("old", NEW)
    with pytest.raises(KeyRingError, match="'old' in KEDGE_KEYS is not the one"):
        decrypt(content)


def test_a_check_says_which_key_can_go(content: bytes, settings: Settings) -> None:
    settings.KEDGE_KEYS = f"{entry('new', NEW)},{entry('old', OLD)}"
    keys("rotate")
    said = keys("check")
    assert "new (newest, wraps new keys): wraps 2 data keys, which open" in said
    assert "old (older): wraps nothing; it can be taken out" in said


def test_a_wrapped_key_opens_only_in_its_own_row(content: bytes) -> None:
    one, other = DataKey.objects.order_by("pk")
    other.wrapped = one.wrapped
    with pytest.raises(KeyRingError):
        datakeys.opened(other)


def test_no_key_stands_in_the_database_as_it_is(content: bytes) -> None:
    for row in DataKey.objects.all():
        assert row.wrapped is not None
        secret = datakeys.key_ring().unwrap(
            row.wrapped_by, bytes(row.wrapped), about=datakeys.about(row)
        )
        assert secret not in bytes(row.wrapped)
        assert OLD not in bytes(row.wrapped)


def test_an_erased_person_shows_as_erased_and_the_bytes_stay(content: bytes) -> None:
    tenant = make_tenant()
    keeping.erase(tenant, "c7", actor=SHELL, reason="asked for it")
    with pytest.raises(ErasedError, match="was destroyed"):
        decrypt(content)
    seen = redaction.view(canonical.loads(content), erased=datakeys.erased_of(tenant.pk)).value
    assert seen["customer"]["mail"].startswith("«erased ")
    assert seen["password"].startswith("«secret ")


def test_the_trail_of_an_erasure_does_not_name_the_person(content: bytes) -> None:
    row = keeping.erase(make_tenant(), "c7", actor=SHELL, reason="asked for it")
    audited = AuditRow.objects.get(verb="erase")
    assert audited.subject == f"data key {row.pk}"
    assert "c7" not in f"{audited.subject}{audited.detail}".replace(str(row.pk), "")


def test_an_erased_key_never_comes_back(content: bytes) -> None:
    row = keeping.erase(make_tenant(), "c7", actor=SHELL, reason="asked for it")
    with pytest.raises(IntegrityError), transaction.atomic():
        DataKey.objects.filter(pk=row.pk).update(wrapped=b"x", erased_at=None)
    with pytest.raises(IntegrityError), transaction.atomic():
        DataKey.objects.filter(pk=row.pk).delete()


def test_what_comes_later_about_the_person_has_another_key(content: bytes) -> None:
    keeping.erase(make_tenant(), "c7", actor=SHELL, reason="asked for it")
    again = encrypt()
    assert again != content
    assert decrypt(again) == canonical.dumps(VALUE)


def test_the_command_erases_only_when_it_is_meant(content: bytes) -> None:
    words = ("erase", "acme", "c7", "--reason", "asked for it")
    with pytest.raises(CommandError, match="Nothing was erased"):
        keys(*words)
    assert decrypt(content) == canonical.dumps(VALUE)
    assert "is destroyed" in keys(*words, "--yes")
    with pytest.raises(CommandError, match="Nothing at acme is encrypted for this person"):
        keys(*words, "--yes")
    with pytest.raises(CommandError, match="no tenant 'nowhere'"):
        keys("erase", "nowhere", "c7", "--reason", "x", "--yes")
