"""Encrypted fields: the same bytes each time, opened by nobody else, and copies are encrypted too."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings

from canonical import json as canonical
from canonical import redaction
from canonical.redaction import Hidden, Known
from tenants.actors import Actor
from tenants.keys import hiding, keeping, vaults
from tenants.keys.errors import EncryptionRefusedError, ErasedError, KeysError
from tenants.keys.models import DataKey
from tenants.keys.vaults import Vault
from tests.canonical.strategies import values
from tests.people import make_tenant

pytestmark = pytest.mark.django_db

SCHEMA = {
    "type": "object",
    "properties": {
        "password": {"type": "string", "x-sensitivity": "secret"},
        "customer": {
            "properties": {
                "mail": {"x-sensitivity": "personal", "x-subject": "1/id"},
                "id": {"type": "string"},
            }
        },
    },
}
OF_PERSON = {"x-sensitivity": "personal", "x-subject": "1/id"}
PEOPLE = {
    "properties": {
        "password": {"x-sensitivity": "secret"},
        "people": {
            "items": {"properties": {"mail": OF_PERSON, "town": OF_PERSON, "phone": OF_PERSON}}
        },
    }
}
VALUE = {
    "password": "swordfish-42",
    "customer": {"id": "c7", "mail": "ann@example.org"},
    "plain": "as it is",
}


def vault(slug: str = "acme") -> Vault:
    return Vault(make_tenant(slug).pk)


def stored(value: Any = VALUE, slug: str = "acme") -> bytes:
    return vault(slug).encrypted_bytes(canonical.dumps(value), SCHEMA)


def test_what_is_marked_is_not_in_the_stored_bytes() -> None:
    content = stored()
    assert b"swordfish" not in content
    assert b"ann@" not in content
    assert b"as it is" in content


def test_another_process_reads_back_exactly_what_was_encrypted() -> None:
    assert vault().decrypted_bytes(stored()) == canonical.dumps(VALUE)


def test_the_same_value_is_the_same_bytes_each_time() -> None:
    assert stored() == stored()


def test_two_tenants_share_no_bytes_and_no_fingerprint() -> None:
    one, other = (json.loads(stored(slug=slug))["password"]["$encrypted"] for slug in ("a", "b"))
    assert one["text"] != other["text"]
    assert one["by"] != other["by"]


def test_no_tenant_opens_what_is_anothers() -> None:
    with pytest.raises(KeysError, match="no data key"):
        vault("other").decrypted_bytes(stored())


def test_a_changed_envelope_does_not_open() -> None:
    content = json.loads(stored())
    content["password"]["$encrypted"]["as"] = "personal"
    with pytest.raises(KeysError, match="changed since"):
        vault().decrypted(content)
    content["password"]["$encrypted"] |= {"as": "secret", "text": "AAAA"}
    with pytest.raises(KeysError, match="changed since"):
        vault().decrypted(content)


def test_a_ciphertext_does_not_say_how_long_the_value_is() -> None:
    lengths = {
        len(json.loads(stored({"password": "x" * n}))["password"]["$encrypted"]["text"])
        for n in range(1, 29)
    }
    assert len(lengths) == 1


def test_each_person_has_a_key_of_their_own_and_is_not_named_with_it() -> None:
    first = json.loads(stored())["customer"]["mail"]["$encrypted"]["key"]
    other = {"customer": {"id": "c8", "mail": "ann@example.org"}}
    second = json.loads(stored(other))["customer"]["mail"]["$encrypted"]["key"]
    assert first != second
    assert DataKey.objects.count() == 3
    assert not any(b"c7" in bytes(row.person) for row in DataKey.objects.all())


def test_a_copy_of_an_opened_value_is_encrypted_too() -> None:
    mine = vault()
    opened = mine.decrypted(json.loads(stored()))
    derived = {"url": f"https://x/?token={opened['password']}", "n": 1, "plain": "as it is"}
    content = mine.encrypted_bytes(canonical.dumps(derived), {"type": "object"})
    assert b"swordfish" not in content
    assert b"as it is" in content
    assert vault().decrypted_bytes(content) == canonical.dumps(derived)


def test_a_copy_keeps_the_key_of_whom_it_is_about() -> None:
    mine = vault()
    content = mine.encrypted({**VALUE, "to": "Ann <ann@example.org>"}, SCHEMA)
    assert content["to"]["$encrypted"]["key"] == content["customer"]["mail"]["$encrypted"]["key"]


def two_people(slug: str = "acme") -> tuple[Vault, Any]:
    """Ann and Bob have values of their own; a town and a phone they share."""
    people = [
        {"id": "c7", "mail": "ann@example.org", "town": "Kirkwall", "phone": "555-0100"},
        {"id": "c8", "mail": "bob@example.org", "town": "Main St 5, Kirkwall", "phone": "555-0100"},
    ]
    mine = vault(slug)
    return mine, mine.encrypted({"people": people, "password": "swordfish-42"}, PEOPLE)


def key_of(envelope: Any) -> str:
    return str(envelope["$encrypted"]["key"])


@pytest.mark.parametrize(
    "copy",
    ["ann@example.org wrote to bob@example.org", "call 555-0100", "555-0100"],
    ids=["values of both", "what both have", "exactly what both have"],
)
def test_a_copy_with_values_of_two_people_is_refused_and_says_where(copy: str) -> None:
    mine, _ = two_people()
    with pytest.raises(EncryptionRefusedError, match="2 people stand in one place, at /list/1"):
        mine.encrypted({"list": ["plain", copy]}, {"type": "object"})


def test_copies_in_parts_of_their_own_get_each_persons_key() -> None:
    mine, stored = two_people()
    ann, bob = (each["mail"] for each in stored["people"])
    copies = mine.encrypted({"to": "Ann <ann@example.org>", "cc": "bob@example.org"}, {})
    assert [key_of(copies["to"]), key_of(copies["cc"])] == [key_of(ann), key_of(bob)]
    assert key_of(ann) != key_of(bob)


def test_a_copy_of_one_persons_whole_value_is_theirs_whatever_else_stands_in_it() -> None:
    mine, stored = two_people()
    copies = mine.encrypted({"from": "Kirkwall", "to": "Main St 5, Kirkwall"}, {})
    assert key_of(copies["from"]) == key_of(stored["people"][0]["town"])
    assert key_of(copies["to"]) == key_of(stored["people"][1]["town"])


def test_a_copy_beside_a_secret_of_the_tenant_goes_with_the_person() -> None:
    """After the person is erased nothing of them may stay readable under the tenant's key."""
    mine = vault()
    mine.encrypted({"password": "swordfish-42"}, PEOPLE)  # known first: the order must not matter
    people = [{"id": "c7", "mail": "ann@example.org"}]
    stored = mine.encrypted({"people": people}, PEOPLE)
    copies = mine.encrypted({"note": "swordfish-42 for ann@example.org"}, {})
    assert key_of(copies["note"]) == key_of(stored["people"][0]["mail"])
    keeping.erase(make_tenant(), "c7", actor=Actor.machine("test"), reason="asked for it")
    with pytest.raises(ErasedError):
        vault().decrypted(copies)


def test_what_cannot_be_encrypted_and_must_be_kept_has_marks() -> None:
    mine, _ = two_people()
    kept = mine.masked(
        {"list": ["ann@example.org, bob@example.org", 1], "password": "p-123456"}, PEOPLE
    )
    assert kept["list"][1] == 1
    assert not any(word in str(kept) for word in ("ann@", "bob@", "p-123456"))
    nobodys = mine.masked({"people": [{"mail": "new@example.org"}]}, PEOPLE)
    assert nobodys.startswith("«secret ")


def test_a_sensitive_name_of_a_member_is_refused() -> None:
    mine = vault()
    with pytest.raises(EncryptionRefusedError, match="name of a member at /by"):
        mine.encrypted({**VALUE, "by": {"ann@example.org": 1}}, SCHEMA)


def test_nobody_slips_in_an_envelope_of_their_own() -> None:
    envelope = json.loads(stored())["password"]
    with pytest.raises(EncryptionRefusedError, match="belongs to the engine"):
        vault().encrypted_bytes(canonical.dumps({"note": envelope}), SCHEMA)
    text = canonical.dumps({"note": json.dumps(envelope)})
    assert vault().decrypted_bytes(vault().encrypted_bytes(text, SCHEMA)) == text


def test_personal_data_about_nobody_is_not_kept() -> None:
    with pytest.raises(EncryptionRefusedError, match="names nobody"):
        stored({"customer": {"mail": "ann@example.org"}})


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(secret=values, beside=values)
def test_every_value_comes_back_byte_for_byte(secret: Any, beside: Any) -> None:
    known = Known([Hidden(secret, "x")])
    assume(not any(known.finds(name) for name in ("secret", "beside")))  # refused: a name is open
    schema = {"properties": {"secret": {"x-sensitivity": "secret"}}}
    content = canonical.dumps({"secret": secret, "beside": beside})
    kept = vault().encrypted_bytes(content, schema)
    assert redaction.opened(canonical.loads_object(kept)["secret"]) is not None
    assert vault().decrypted_bytes(kept) == content
    assert vault().encrypted_bytes(content, schema) == kept


def test_an_error_that_leaves_takes_no_value_along() -> None:
    content = stored()
    with pytest.raises(LookupError) as caught:
        _fail_with(content)
    assert "swordfish" not in f"{caught.value!r}{caught.value.__cause__!r}"


def _fail_with(content: bytes) -> None:
    with vaults.bound(make_tenant().pk) as mine:
        opened = mine.decrypted_bytes(content).decode()
        raise LookupError(f"of {opened}") from ValueError(opened)


def test_content_without_anything_sensitive_stays_and_makes_no_key() -> None:
    content = canonical.dumps({"plain": 1})
    assert vault().encrypted_bytes(content, {"type": "object"}) is content
    assert vault().decrypted_bytes(content) is content
    assert not DataKey.objects.exists()


def test_what_a_turn_has_opened_is_hidden_in_what_it_says() -> None:
    content = stored()
    with vaults.bound(make_tenant().pk) as mine:
        assert str(hiding.text("swordfish-42")) == "swordfish-42"
        mine.decrypted_bytes(content)
        assert "swordfish" not in str(hiding.text("error: swordfish-42"))
        with vaults.bound(make_tenant().pk) as same:
            assert same is mine
        assert vaults.vault_of(make_tenant().pk) is mine
        assert vaults.vault_of(make_tenant("b").pk) is not mine
    assert str(hiding.text("swordfish-42")) == "swordfish-42"


def test_a_page_shows_the_fingerprint_that_hidden_texts_show() -> None:
    content = json.loads(stored())
    with vaults.bound(make_tenant().pk) as mine:
        mine.decrypted(content)
        said = str(hiding.text("swordfish-42"))
    assert redaction.view(content).value["password"] == said
