"""Signatures: what was signed is what is believed, by keys the reader was told about and no other."""

import base64

import pytest

from tenants.signing import BadKey, Believed, PublicKey, SigningKey

KEY = SigningKey.of(base64.b64encode(b"k" * 32).decode())
OTHER = SigningKey.of(base64.b64encode(b"o" * 32).decode())


def test_what_was_signed_is_believed_and_nothing_else() -> None:
    signature = KEY.sign("head", {"position": 7})
    assert KEY.public.made(signature, "head", {"position": 7})
    assert not KEY.public.made(signature, "head", {"position": 8})
    assert not KEY.public.made(signature, "evidence", {"position": 7})
    assert not OTHER.public.made(signature, "head", {"position": 7})


def test_the_order_of_members_is_not_signed_but_every_value_is() -> None:
    signature = KEY.sign("head", {"a": 1, "b": 2})
    assert KEY.public.made(signature, "head", {"b": 2, "a": 1})


@pytest.mark.parametrize("broken", ["", "x", "AAAA", "=", "ä"])
def test_a_broken_signature_is_a_no_and_no_error(broken: str) -> None:
    assert not KEY.public.made(broken, "head", {})


def test_one_signature_has_one_text() -> None:
    signature = KEY.sign("head", {})
    last = signature[-3]
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    other = alphabet[alphabet.index(last) ^ 1]
    assert not KEY.public.made(signature[:-3] + other + "==", "head", {})


def test_an_unknown_key_is_not_believed_however_well_it_signs() -> None:
    signed = {"key": OTHER.public.id, "signature": OTHER.sign("head", {})}
    assert "have not named" in Believed.of([KEY.public]).trouble(signed, "head", {})
    assert Believed.of([KEY.public, OTHER.public]).trouble(signed, "head", {}) == ""


def test_a_key_cannot_sign_under_the_name_of_another() -> None:
    signed = {"key": KEY.public.id, "signature": OTHER.sign("head", {})}
    assert "is not what the key" in Believed.of([KEY.public]).trouble(signed, "head", {})


@pytest.mark.parametrize(
    "text", ["", "short", "c2hvcnQ=", "ä", base64.b64encode(b"x" * 33).decode()]
)
def test_what_is_no_key_is_refused(text: str) -> None:
    for kind in (SigningKey, PublicKey):
        with pytest.raises(BadKey):
            kind.of(text)


def test_the_secret_half_is_not_printed() -> None:
    assert repr(KEY.seed) not in repr(KEY)
    assert KEY.public.text in repr(KEY.public)
