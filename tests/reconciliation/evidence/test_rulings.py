"""Verdicts in an evidence file: with who agreed, where it was seen, and what was taken back."""

import json

from jsonschema import Draft202012Validator

from checkpoints.models import Case
from reconciliation import verdicts
from reconciliation.evidence import rulings
from reconciliation.verdicts import Given, Seen
from tests import ground
from tests.engine.turns import Bench
from tests.reconciliation.deskwork import unknown_mail

SCHEMA = json.loads((ground.ROOT / "docs/schemas/evidence.schema.json").read_text("utf-8"))


def test_a_verdict_says_where_it_was_seen_and_who_took_it_back(engine: Bench) -> None:
    case = unknown_mail(engine)
    given = Given("it_happened", "Found.", seen=Seen(reference="R-17"))
    made = verdicts.give(case.pk, given, user=engine.approver)
    verdicts.supersede(made.pk, reason="Another mail.", user=engine.starter)
    verdicts.give(case.pk, Given("write_off", "Gone."), user=engine.starter)
    first, second = rulings.of_case(Case.objects.get())
    assert first["detail"] == {"seen": {"reference": "R-17"}}
    assert first["taken_back"]["reason"] == "Another mail."
    assert first["taken_back"]["person"]["name"] == "Ada"
    assert "taken_back" not in second
    items = SCHEMA["properties"]["cases"]["items"]["properties"]["verdicts"]
    checked = Draft202012Validator({**items, "$defs": SCHEMA["$defs"]})
    assert checked.is_valid([first, second])
