"""People's own secrets: under a key of theirs, wrapped by the ring; erased or wrong, they stay shut."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction
from pytest_django import Settings

from tenants.actors import Actor
from tenants.keys import keeping, people
from tenants.keys.errors import ErasedError, KeyRingError, KeysError
from tenants.keys.models import PersonKey
from tenants.models import AuditRow, User
from tests.people import ada, bob, make_tenant
from tests.tenants.keys.rings import NEW, OLD, entry

pytestmark = pytest.mark.django_db
SHELL = Actor.machine("test")
HOOK = "https://hooks.example/services/token-of-ada"


@pytest.fixture
def user(settings: Settings) -> User:
    settings.KEDGE_KEYS = entry("old", OLD)
    return ada(make_tenant())


def keep(user: User) -> str:
    return people.sealed(user.pk, HOOK, use=people.WEBHOOK)


def keys(*words: str) -> str:
    out = StringIO()
    call_command("keys", *words, stdout=out)
    return out.getvalue()


def test_it_opens_as_what_it_was_and_says_nothing_of_it(user: User) -> None:
    kept = keep(user)
    assert people.opened(kept, use=people.WEBHOOK) == HOOK
    assert "hooks" not in kept
    assert kept != keep(user)
    assert PersonKey.objects.count() == 1


def test_it_opens_for_its_own_use_and_under_its_own_key_only(user: User) -> None:
    kept, others = keep(user), keep(bob(make_tenant()))
    form, _, text = kept.split(":")
    for changed in (f"{form}:{others.split(':')[1]}:{text}", kept[:-8] + "AAAAAAA=", "x", ""):
        with pytest.raises(KeysError, match="changed since"):
            people.opened(changed, use=people.WEBHOOK)
    with pytest.raises(KeysError, match="second factor does not open"):
        people.opened(kept, use=people.SECOND_FACTOR)


def test_a_rotation_wraps_peoples_keys_anew(user: User, settings: Settings) -> None:
    kept = keep(user)
    settings.KEDGE_KEYS = f"{entry('new', NEW)},{entry('old', OLD)}"
    assert people.opened(kept, use=people.WEBHOOK) == HOOK
    assert "old (older): wraps 1 data keys" in keys("check")
    assert "1 of 1 data keys wrapped anew" in keys("rotate")
    settings.KEDGE_KEYS = entry("new", NEW)
    assert people.opened(kept, use=people.WEBHOOK) == HOOK


def test_a_missing_key_is_named_with_the_next_step(user: User, settings: Settings) -> None:
    kept = keep(user)
    settings.KEDGE_KEYS = entry("new", NEW)
    with pytest.raises(KeyRingError, match=r"no key 'old'.*Add it again behind 'new'"):
        people.opened(kept, use=people.WEBHOOK)
    with pytest.raises(CommandError, match="cannot be read"):
        keys("check")


def test_what_was_erased_never_opens_again(user: User) -> None:
    kept, others = keep(user), keep(bob(make_tenant()))
    words = ("erase-own", user.email, "--reason", "asked for it")
    with pytest.raises(CommandError, match="Nothing was erased"):
        keys(*words)
    assert "is destroyed" in keys(*words, "--yes")
    with pytest.raises(ErasedError, match="was destroyed"):
        people.opened(kept, use=people.WEBHOOK)
    assert people.opened(others, use=people.WEBHOOK) == HOOK
    assert AuditRow.objects.get(verb="erase").detail["reason"] == "asked for it"
    with pytest.raises(IntegrityError), transaction.atomic():
        PersonKey.objects.filter(person=user).update(wrapped=b"x", erased_at=None)
    with pytest.raises(CommandError, match="nothing here that is encrypted"):
        keys(*words, "--yes")


def test_what_comes_later_has_another_key(user: User) -> None:
    old = keep(user)
    keeping.erase_own(user, actor=SHELL, reason="asked for it")
    new = keep(user)
    assert new.split(":")[1] != old.split(":")[1]
    assert people.opened(new, use=people.WEBHOOK) == HOOK
