"""Every table has the rule of the second wall, or stands here with the reason why it needs none."""

from typing import Any, Final

import pytest
from django.apps import apps
from django.db import connection

from config import roles
from tenants import wall
from tests.wall.role import USER, as_web

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("web_user")]

SIGN_IN: Final = "how a person gets in, asked before any tenant is known"
PEOPLE: Final = "people and groups are the installation's; what they may do where is closed"
UNUSED: Final = "of a library; nothing is kept in it"
INSTALLATION: Final = "the installation's, the same for every tenant"
OPEN: Final = {
    "account_emailaddress": SIGN_IN,
    "account_emailconfirmation": SIGN_IN,
    "auth_group": PEOPLE,
    "auth_group_permissions": PEOPLE,
    "auth_permission": INSTALLATION,
    "checkpoints_combo": INSTALLATION,
    "checkpoints_registration": INSTALLATION,
    "checkpoints_successor": INSTALLATION,
    "checkpoints_workercode": INSTALLATION,
    "django_content_type": INSTALLATION,
    "django_migrations": INSTALLATION,
    "django_session": SIGN_IN,
    "execution_process": INSTALLATION,
    "guardian_groupobjectpermission": UNUSED,
    "guardian_userobjectpermission": UNUSED,
    "mfa_authenticator": SIGN_IN,
    "reconciliation_divergence": INSTALLATION,
    "reconciliation_journalmark": INSTALLATION,
    "reconciliation_spoolplace": INSTALLATION,
    "socialaccount_socialaccount": SIGN_IN,
    "socialaccount_socialapp": SIGN_IN,
    "socialaccount_socialtoken": SIGN_IN,
    "tenants_installation": INSTALLATION,
    "tenants_notificationchoice": "how one person wants to be told, of whatever tenant",
    "tenants_personkey": SIGN_IN,
    "tenants_signinlink": SIGN_IN,
    "tenants_user": PEOPLE,
    "tenants_user_groups": PEOPLE,
    "tenants_user_user_permissions": PEOPLE,
}
CLOSED: Final = """
    SELECT relname FROM pg_class JOIN pg_policy ON polrelid = pg_class.oid
     WHERE relrowsecurity AND polname = 'kedge_tenant'
"""
TABLES: Final = """
    SELECT relname FROM pg_class
     WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace
"""


def names(statement: str, *values: Any) -> set[str]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return {row[0] for row in cursor.fetchall()}


def test_every_table_is_closed_or_stands_on_the_list() -> None:
    # A new table gets `SELECT kedge_close(…)` in its migration: see migration 0007 of tenants.
    assert names(TABLES) - names(CLOSED) == set(OPEN)


def test_what_may_be_written_is_what_may_be_read() -> None:
    both = " AND polcmd = '*' AND polwithcheck IS NULL AND polroles = ARRAY[0::oid]"
    assert names(CLOSED + both) == names(CLOSED)


def test_every_model_has_such_a_table() -> None:
    models = {model._meta.db_table for model in apps.get_models(include_auto_created=True)}
    assert models <= names(CLOSED) | set(OPEN)


def test_nothing_that_names_a_tenant_stands_on_the_list() -> None:
    with_tenant = {
        model._meta.db_table
        for model in apps.get_models(include_auto_created=True)
        if any(field.name in {"tenant", "run", "request"} for field in model._meta.get_fields())
    }
    assert with_tenant & set(OPEN) == set()


def test_the_owner_passes_and_web_does_not() -> None:
    assert not wall.stands()
    with as_web():
        assert wall.stands()


def test_who_may_pass_as_the_worker_passes_everywhere() -> None:
    roles.let_pass(USER)
    with as_web():
        assert not wall.stands()
    passing = "SELECT polrelid::regclass::text FROM pg_policy WHERE polname = 'kedge_worker'"
    assert names(passing) == names(CLOSED)


def test_letting_the_same_user_pass_again_touches_no_table() -> None:
    roles.let_pass(USER)
    made = names("SELECT oid::text FROM pg_policy")
    roles.let_pass(USER)
    assert names("SELECT oid::text FROM pg_policy") == made
