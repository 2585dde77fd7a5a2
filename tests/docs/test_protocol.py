"""What the engine writes is what docs/PROTOCOL.md and its schemas say."""

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from canonical import json as canonical
from checkpoints.headers import PROTOCOL
from checkpoints.models import Checkpoint
from reconciliation import journal
from tests.engine.turns import Bench

DOCS = Path(__file__).resolve().parent.parent.parent / "docs"


def _schema(name: str) -> Draft202012Validator:
    schema = json.loads((DOCS / "schemas" / name).read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


@pytest.mark.django_db(transaction=True)
def test_headers_and_journal_lines_fit_their_schemas(engine: Bench) -> None:
    run = engine.start(tool="fake.void", what="a")
    engine.turn()
    engine.decide(run, "send_back", "again")
    engine.turn()
    engine.decide(run)
    engine.turn()
    headers = [
        canonical.loads_object(row.header) for row in Checkpoint.objects.filter(run_id=run.id)
    ]
    for header in headers:
        _schema("header.schema.json").validate(header)
    lines = list(journal.lines())
    assert len(lines) == 1
    _schema("journal-line.schema.json").validate(lines[0])
    seen = {member for header in headers for member in header}
    assert {"actions", "saw", "proposals"} <= seen


def test_the_document_names_every_member_and_the_version() -> None:
    text = (DOCS / "PROTOCOL.md").read_text(encoding="utf-8")
    members = json.loads((DOCS / "schemas" / "header.schema.json").read_text())["properties"]
    for member in members:
        assert f"`{member}`" in text
    assert f"version {PROTOCOL}" in text
