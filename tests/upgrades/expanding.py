"""Finds what a migration takes away from the release before it, whose workers still run beside it.

Expand, then contract: one release adds, and uses both; a later one takes away what no release in
use knows any more, and says so: `contracts = "0.1.0"`, the first release that does without it.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from django.db import connection
from django.db.migrations import Migration, operations
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState
from django.db.models import Field

MARK: Final = "contracts"
TAKEN_AWAY: Final = (
    operations.DeleteModel,
    operations.RenameModel,
    operations.AlterModelTable,
    operations.RemoveField,
    operations.RenameField,
)
SQL: Final = {
    r"\bDROP\s+(TABLE|COLUMN|VIEW|SCHEMA)\b": "drops a {0}",
    r"\bALTER\s+TABLE\b[^;]*\bDROP\s+(?!COLUMN|CONSTRAINT|DEFAULT|NOT|EXPRESSION|IDENTITY)\w": "drops a column",
    r"\bALTER\s+TABLE\b[^;]*\bRENAME\b": "renames a table or a column",
    r"\bALTER\s+TABLE\b[^;]*\bSET\s+NOT\s+NULL\b": "lets a column be null no more",
    r"\bALTER\s+TABLE\b[^;]*\bALTER\s+(COLUMN\s+)?\w+\s+(SET\s+DATA\s+)?TYPE\b": "changes a type",
}
ADDED: Final = re.compile(
    r"\bADD\s+(?:COLUMN\s+)?(?:IF\s+NOT\s+EXISTS\s+)?(?!CONSTRAINT\b)(\w+)\s([^,;]*)", re.IGNORECASE
)
NOT_SAID: Final = re.compile(r"--[^\n]*|/\*.*?\*/|\$(\w*)\$.*?\$\1\$|'(?:[^']|'')*'", re.DOTALL)


def taken_away(migration: Migration, before: ProjectState) -> list[str]:
    """What code that does not know this migration would miss, each as a phrase."""
    state, found, new = before.clone(), [], set[str]()
    for each in _flat(migration.operations):
        if isinstance(each, operations.CreateModel):
            new.add(each.name_lower)  # older code knows nothing of it, whatever becomes of it
        elif getattr(each, "model_name_lower", "") not in new:
            found += list(_of(each, state, migration.app_label))
        each.state_forwards(migration.app_label, state)
    return found


def _flat(steps: Sequence[Operation]) -> Iterator[Operation]:
    for each in steps:
        if isinstance(each, operations.SeparateDatabaseAndState):
            yield from _flat(each.database_operations)
        else:
            yield each


def _of(step: Any, state: ProjectState, app: str) -> Iterator[str]:
    if isinstance(step, TAKEN_AWAY):
        yield step.describe()
    elif isinstance(step, operations.RunSQL):
        yield from in_sql(_text(step.sql))
    elif isinstance(step, operations.AddField):
        if _is_needed(step.field):
            yield f"{step.model_name}.{step.name} must be given, and older code gives none (db_default)"
    elif isinstance(step, operations.AlterField):
        old = state.models[app, step.model_name_lower].get_field(step.name)
        yield from _altered(step, old)


def _altered(step: Any, old: Any) -> Iterator[str]:
    if old.null and not step.field.null:
        yield f"{step.model_name}.{step.name} may be null no more"
    if _type(old) != _type(step.field) and not _is_longer(old, step.field):
        yield f"{step.model_name}.{step.name} changes its type"


def _type(field: Any) -> str | None:
    """Of a reference what it leads to: its column's type is that of the other table's key."""
    if field.remote_field:
        return str(field.deconstruct()[3]["to"]).lower()
    return str(field.db_type(connection))


def _is_longer(old: "Field[Any, Any]", new: "Field[Any, Any]") -> bool:
    """Whatever fitted still fits."""
    same = old.get_internal_type() == new.get_internal_type() == "CharField"
    return same and (new.max_length or 0) >= (old.max_length or 0)


def _is_needed(field: Any) -> bool:
    """Django's own default is no default of the column: it stands in the code that knows it."""
    return not (field.null or field.many_to_many or field.has_db_default() or field.generated)


def in_sql(text: str) -> Iterator[str]:
    """The same of raw SQL, outside its comments, words and function bodies."""
    said = NOT_SAID.sub(" ", text)
    for pattern, phrase in SQL.items():
        for match in re.finditer(pattern, said, re.IGNORECASE):
            yield "SQL " + phrase.format(*(part.lower() for part in match.groups() if part))
    for statement in re.findall(r"\bALTER\s+TABLE\b[^;]*", said, re.IGNORECASE):
        for name, rest in ADDED.findall(statement):
            if re.search(r"\bNOT\s+NULL\b", rest, re.I) and not re.search(
                r"\bDEFAULT\b", rest, re.I
            ):
                yield f"SQL adds {name}, which must be given, and older code gives none"


def _text(sql: Any) -> str:
    if isinstance(sql, str):
        return sql
    return ";\n".join(each if isinstance(each, str) else str(each[0]) for each in sql)
