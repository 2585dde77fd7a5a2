"""The migration that put second factors and webhooks under the key ring: there and back, unchanged."""

from importlib import import_module
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from pytest_django import Settings

from tenants.actors import Actor
from tenants.keys import keeping, people
from tenants.keys.errors import KeysError
from tenants.models import User
from tenants.notifications.models import NotificationChoice
from tests.people import ada, bob, make_tenant

pytestmark = pytest.mark.django_db
BEFORE, AFTER = ("tenants", "0007_row_level_security"), ("tenants", "0008_keys")
HOOK = "https://hooks.example/services/token"
moving = import_module("tenants.migrations.0008_keys")


@pytest.fixture(autouse=True)
def _by_two(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(moving, "AT_ONCE", 2)


def people_with_secrets() -> list[User]:
    found = [ada(make_tenant()), bob(make_tenant())]
    found += [User.objects.create_user(f"p{n}@example.org") for n in range(3)]
    for user in found:
        texts = {name: seal(user, f"{name}-{user.pk}") for name in ("secret", "seed")}
        give(user, "totp", {"secret": texts["secret"]})
        give(user, "recovery_codes", {"seed": texts["seed"], "used_mask": 5})
        give(user, "webauthn", {"name": "Passkey 1", "credential": {"id": "x"}})
        hook = people.sealed(user.pk, f"{HOOK}/{user.pk}", use=people.WEBHOOK)
        NotificationChoice.objects.create(person=user, webhook=hook)
    return found


def seal(user: User, plain: str) -> str:
    return people.sealed(user.pk, plain, use=people.SECOND_FACTOR)


def give(user: User, kind: str, data: dict[str, Any]) -> None:
    Authenticator.objects.create(user=user, type=kind, data=data)


def migrate(to: tuple[str, str]) -> None:
    """The one migration, there or back: those after it leave these tables alone, and take a minute."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    loader = MigrationExecutor(connection).loader
    migration, before = loader.get_migration(*AFTER), loader.project_state(AFTER, at_end=False)
    with connection.schema_editor() as editor:
        (migration.unapply if to == BEFORE else migration.apply)(before, editor)


def factors(user: User) -> dict[str, str]:
    """The kept texts by name; what is beside them stays as it is."""
    rows: dict[str, dict[str, Any]] = {
        row.type: row.data for row in Authenticator.objects.filter(user=user)
    }
    assert rows["recovery_codes"].pop("used_mask") == 5
    assert rows.pop("webauthn") == {"name": "Passkey 1", "credential": {"id": "x"}}
    return rows["totp"] | rows["recovery_codes"]


def plain_hooks() -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT webhook_url FROM tenants_notificationchoice ORDER BY person_id")
        return [row[0] for row in cursor.fetchall()]


def test_all_move_back_and_forth_in_batches_and_open_as_what_they_were() -> None:
    users = sorted(people_with_secrets(), key=lambda user: user.pk)
    migrate(BEFORE)
    assert plain_hooks() == [f"{HOOK}/{user.pk}" for user in users]
    for user in users:
        for name, kept in factors(user).items():
            assert moving.django_keys().decrypt(kept).decode() == f"{name}-{user.pk}"
    migrate(AFTER)
    for user in users:
        for name, kept in factors(user).items():
            assert people.opened(kept, use=people.SECOND_FACTOR) == f"{name}-{user.pk}"
        choice = NotificationChoice.objects.get(person=user)
        assert people.opened(choice.webhook, use=people.WEBHOOK) == f"{HOOK}/{user.pk}"


def test_what_was_erased_does_not_come_back_on_the_way_back() -> None:
    user = people_with_secrets()[0]
    keeping.erase_own(user, actor=Actor.machine("test"), reason="asked for it")
    migrate(BEFORE)
    assert "" in plain_hooks()
    assert all(people.is_sealed(kept) for kept in factors(user).values())
    migrate(AFTER)
    for kept in factors(user).values():
        with pytest.raises(KeysError):
            people.opened(kept, use=people.SECOND_FACTOR)


def test_a_factor_under_another_secret_key_stops_the_move_and_says_so(settings: Settings) -> None:
    people_with_secrets()
    migrate(BEFORE)
    settings.SECRET_KEY = "another" * 10
    with pytest.raises(KeysError, match="Migrate once with the secret key of before"):
        migrate(AFTER)


def test_an_installation_without_secrets_makes_no_key() -> None:
    """With all that was built on it since, which comes back the same way."""
    executor = MigrationExecutor(connection)
    executor.migrate([BEFORE])
    executor = MigrationExecutor(connection)
    executor.migrate(executor.loader.graph.leaf_nodes())
    assert not Authenticator.objects.exists()
