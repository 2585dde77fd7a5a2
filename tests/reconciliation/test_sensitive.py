"""A receipt is kept whatever stands in it: encrypted, and where that is refused, with marks."""

from canonical import json as canonical
from canonical import redaction
from reconciliation import sensitive
from tenants.keys import vaults
from tests.engine.turns import Bench
from tests.reconciliation.ready import ready
from tests.tenants.keys.test_vaults import PEOPLE

TWO = {"people": [{"id": "c7", "mail": "ann@example.org"}, {"id": "c8", "mail": "bob@example.org"}]}


def kept(engine: Bench, receipt: object) -> bytes:
    action = ready(engine).action
    with vaults.bound(action.tenant_id) as vault:
        vault.encrypted(TWO, PEOPLE)
        return sensitive.receipt(action, canonical.dumps(receipt))


def test_a_receipt_about_one_person_is_encrypted(engine: Bench) -> None:
    content = kept(engine, {"sent": "to ann@example.org", "id": 7})
    assert redaction.opened(canonical.loads_object(content)["sent"]) is not None


def test_a_receipt_with_values_of_two_people_is_kept_with_marks(engine: Bench) -> None:
    content = kept(engine, {"sent": "to ann@example.org and bob@example.org", "id": 7})
    told = canonical.loads_object(content)
    assert told["id"] == 7
    assert told["sent"].count("«personal ") == 2
    assert b"example.org" not in content


def test_a_receipt_with_a_persons_value_as_a_name_is_kept_with_marks(engine: Bench) -> None:
    content = kept(engine, {"ann@example.org": "sent"})
    assert b"example.org" not in content
    assert b"sent" in content
