"""Digests are stable across releases and never shared between two kinds of thing."""

import hashlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from canonical.digests import GENESIS, chain, sha256_hex, tagged
from canonical.json import CanonicalError, dumps
from tests.canonical.strategies import values


def test_sha256_hex_is_plain_sha256() -> None:
    assert sha256_hex(b"") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


def test_the_preimage_is_tag_version_nul_and_canonical_bytes() -> None:
    expected = hashlib.sha256(b'kedge:header:v1\x00{"a":1,"b":[]}').hexdigest()
    assert tagged("header", {"b": [], "a": 1.0}) == expected


def test_digests_stay_what_they_were() -> None:
    # Written down on purpose: a change here strands every checkpoint ever committed.
    assert tagged("header", {"seq": 1}) == (
        "4aba080d255191808845a9eaa5f24191c9a9030469a8e2f8c97e95cb3c4a7383"
    )
    assert chain(GENESIS, b"first") == (
        "81c86aa94a7eb111f09997d6e1491b840e7527dffb5963eae30452e961e0fbf8"
    )


@given(values, values)
def test_digests_are_equal_exactly_when_the_bytes_are(one: Any, two: Any) -> None:
    assert (tagged("t", one) == tagged("t", two)) == (dumps(one) == dumps(two))


@given(values)
def test_another_tag_is_another_digest(value: Any) -> None:
    assert len({tagged("action", value), tagged("action2", value), sha256_hex(dumps(value))}) == 3


@pytest.mark.parametrize("tag", ["", "Header", "a:b", "a\0", "é", "1a", "header\n"])
def test_a_tag_that_could_be_read_in_two_ways_is_refused(tag: str) -> None:
    with pytest.raises(ValueError, match="is no tag"):
        tagged(tag, 1)


def test_a_refused_value_keeps_its_path() -> None:
    with pytest.raises(CanonicalError, match="at /a"):
        tagged("header", {"a": {1}})


@given(st.lists(st.binary(max_size=40), max_size=4), st.lists(st.binary(max_size=40), max_size=4))
def test_chains_are_equal_exactly_when_their_items_are(one: list[bytes], two: list[bytes]) -> None:
    assert (tail(one) == tail(two)) == (one == two)


def tail(items: list[bytes]) -> str:
    digest = GENESIS
    for item in items:
        digest = chain(digest, item)
    return digest


@pytest.mark.parametrize("previous", ["", "0" * 63, "0" * 65, "A" * 64, "0" * 62 + "\n0", "é" * 64])
def test_a_chain_goes_on_only_from_a_digest(previous: str) -> None:
    with pytest.raises(ValueError, match="64 lower-case hex digits"):
        chain(previous, b"")
