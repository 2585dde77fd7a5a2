"""Expand, then contract: no migration takes away what the release before it still uses."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import migrations, models
from django.db.migrations import Migration
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ModelState, ProjectState

from tests.upgrades import shelf
from tests.upgrades.expanding import MARK, in_sql, taken_away

LOADER = MigrationLoader(None, ignore_no_migrations=True)


def later() -> Iterator[Migration]:
    """Our migrations that the first release does not have: before it nobody upgraded."""
    first = shelf.of(shelf.releases()[0]).facts.migrations
    for (app, name), migration in sorted(LOADER.disk_migrations.items()):
        if app in shelf.OURS and f"{app}.{name}" not in first:
            yield migration


def test_a_migration_takes_nothing_away_but_in_a_contract_step() -> None:
    for migration in later():
        before = LOADER.project_state([(migration.app_label, migration.name)], at_end=False)
        found = taken_away(migration, before)
        marked = getattr(migration, MARK, None)
        assert not found or marked, (
            f"{migration}: {found}. Workers of the release before still use it. Expand first; take"
            f' it away in a later release, whose migration says {MARK} = "the first release that'
            ' does without".'
        )
        assert not marked or marked in shelf.releases()[:-1], f"{migration}: {marked} is not out"


def made(*operations: Operation) -> list[str]:
    """What a migration of a small model with these operations takes away."""
    fields: list[tuple[str, Any]] = [
        ("id", models.BigAutoField(primary_key=True)),
        ("name", models.CharField(max_length=10)),
        ("note", models.TextField(null=True)),
    ]
    state = ProjectState()
    state.add_model(ModelState("small", "Thing", fields))
    of_these = type("More", (Migration,), {"operations": list(operations)})
    return taken_away(of_these("0002_more", "small"), state)


@pytest.mark.parametrize(
    "operation",
    [
        migrations.DeleteModel("Thing"),
        migrations.RenameModel("Thing", "Other"),
        migrations.AlterModelTable("Thing", "other"),
        migrations.RemoveField("thing", "name"),
        migrations.RenameField("thing", "name", "called"),
        migrations.AddField("thing", "more", models.TextField(default="")),
        migrations.AlterField("thing", "note", models.TextField(default="")),
        migrations.AlterField("thing", "name", models.CharField(max_length=5)),
        migrations.AlterField("thing", "name", models.IntegerField()),
        migrations.RunSQL("ALTER TABLE small_thing DROP COLUMN name", "SELECT 1"),
        migrations.SeparateDatabaseAndState([migrations.RemoveField("thing", "name")], []),
    ],
)
def test_what_older_code_would_miss_is_found(operation: Operation) -> None:
    assert len(made(operation)) == 1


@pytest.mark.parametrize(
    "operation",
    [
        migrations.CreateModel("More", [("id", models.BigAutoField(primary_key=True))]),
        migrations.AddField("thing", "more", models.TextField(null=True)),
        migrations.AddField("thing", "more", models.TextField(default="", db_default="")),
        migrations.AlterField("thing", "name", models.CharField(max_length=20)),
        migrations.AlterField("thing", "name", models.CharField(max_length=10, null=True)),
        migrations.RunSQL("SELECT 1", "DROP TABLE small_thing"),
        migrations.AddIndex("thing", models.Index(fields=["name"], name="things_by_name")),
    ],
)
def test_what_only_adds_is_not(operation: Operation) -> None:
    assert made(operation) == []


def test_a_table_of_its_own_is_its_own_affair() -> None:
    table = migrations.CreateModel("More", [("id", models.BigAutoField(primary_key=True))])
    assert made(table, migrations.AddField("more", "what", models.TextField())) == []


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("DROP TABLE a", "drops a table"),
        ("alter table a drop column b", "drops a column"),
        ("ALTER TABLE a DROP b", "drops a column"),
        ("ALTER TABLE a RENAME TO b", "renames"),
        ("ALTER TABLE a RENAME COLUMN b TO c", "renames"),
        ("ALTER TABLE a ALTER COLUMN b SET NOT NULL", "null no more"),
        ("ALTER TABLE a ALTER b TYPE bigint", "changes a type"),
        ("ALTER TABLE a ADD COLUMN b text NOT NULL", "adds b"),
        ("ALTER TABLE a ADD b int, ADD COLUMN c text NOT NULL", "adds c"),
    ],
)
def test_raw_sql_is_read_too(sql: str, said: str) -> None:
    assert re.search(said, " ".join(in_sql(sql)))


@pytest.mark.parametrize(
    "sql",
    [
        "-- DROP TABLE a\nSELECT 1",
        "COMMENT ON TABLE a IS 'never DROP TABLE a'",
        "CREATE FUNCTION f() RETURNS trigger AS $$ BEGIN DROP TABLE a; END $$ LANGUAGE plpgsql",
        "ALTER TABLE a ADD COLUMN b text NOT NULL DEFAULT ''",
        "ALTER TABLE a ADD CONSTRAINT c CHECK (b IS NOT NULL)",
        "ALTER TABLE a DROP CONSTRAINT c",
        "ALTER TABLE a ALTER COLUMN b DROP NOT NULL",
    ],
)
def test_raw_sql_that_adds_is_left_alone(sql: str) -> None:
    assert list(in_sql(sql)) == []
