"""Nothing sensitive passes: by path, by value, in every spelling, and nothing else makes `Redacted`."""

import base64
import json
import re
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from canonical import redaction
from canonical.redaction import Hidden, Known, Redacted, envelope, fingerprint, mark, view
from canonical.spellings import SHORTEST
from tests.canonical.strategies import texts, values

ROOT = Path(__file__).resolve().parent.parent.parent
MARK = mark("secret", "0123456789abcdef" * 2)
secrets = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=SHORTEST
).filter(lambda value: len(value.strip()) >= SHORTEST and value not in MARK)
SPELLINGS: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "json": lambda value: json.dumps(value)[1:-1],
    "canonical json": lambda value: json.dumps(value, ensure_ascii=False)[1:-1],
    "url": quote,
    "url, all": lambda value: quote(value, safe=""),
    "form": quote_plus,
    "python": lambda value: repr(value)[1:-1],
    "hex": lambda value: value.encode().hex(),
}


def known(*secrets: Any) -> Known:
    return Known(Hidden(secret, MARK) for secret in secrets)


@pytest.mark.parametrize("spelling", SPELLINGS)
@given(secret=secrets, before=texts, after=texts)
def test_no_spelling_of_a_known_value_stays_in_a_text(
    spelling: str, secret: str, before: str, after: str
) -> None:
    spelt = SPELLINGS[spelling](secret)
    said = str(known(secret).text(before + spelt + after))
    assert MARK in said
    assert not any(spelt in piece for piece in said.split(MARK))


@given(secret=secrets, before=st.binary(max_size=5), after=st.binary(max_size=5))
def test_a_value_inside_something_in_base64_is_found(
    secret: str, before: bytes, after: bytes
) -> None:
    data = before + secret.encode() * 2 + after
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        assert MARK in str(known(secret * 2).text(encode(data).decode()))


@given(value=values, secret=secrets, name=texts)
def test_no_leaf_and_no_name_of_a_value_keeps_a_known_value(
    value: Any, secret: str, name: str
) -> None:
    told = {"a": value, "b": [secret, {"c": f"x{secret}y"}], f"{secret}{name}": 1}
    text = str(known(secret).json(told))
    assert not any(secret in piece for piece in json.dumps(json.loads(text)).split(MARK))


@given(secret=secrets, lines=st.lists(secrets, min_size=1, max_size=3))
def test_a_value_of_several_lines_is_found_in_a_diff(secret: str, lines: list[str]) -> None:
    whole = "\n".join([secret, *lines])
    diff = "".join(f"+{line}\n" for line in whole.splitlines())
    said = str(known(whole).text(diff))
    assert not any(line.strip() in piece for piece in said.split(MARK) for line in lines)


@given(value=values, secret=secrets)
def test_what_holds_nothing_sensitive_is_not_changed(value: Any, secret: str) -> None:
    if secret not in json.dumps(value, ensure_ascii=False):
        assert Known().json(value).value == value


def test_overlapping_values_leave_no_rest() -> None:
    said = str(known("aaabbbccc", "cccdddeee").text("1aaabbbcccdddeee2"))
    assert said == f"1{MARK}2"


def test_a_short_value_is_hidden_where_it_stands_alone() -> None:
    few = known("1234")
    assert str(few.text("1234")) == MARK
    assert few.json({"pin": "1234", "sum": 12345}).value == {"pin": MARK, "sum": 12345}
    assert str(few.text("sha 9123499")) == "sha 9123499"


def test_a_number_is_found_as_a_number_and_in_text() -> None:
    assert known(4111111111111111).json([4111111111111111, "n 4111111111111111"]).value == [
        MARK,
        f"n {MARK}",
    ]


def test_many_values_are_found_as_few_are() -> None:
    many = known(*(f"value-{number}-x" for number in range(500)))
    assert str(many.text("a value-17-x b value-499-x")) == f"a {MARK} b {MARK}"


def test_every_leaf_of_a_known_object_is_known() -> None:
    assert str(known({"a": ["hunter22", {"b": "swordfish"}]}).text("swordfish hunter22")) == (
        f"{MARK} {MARK}"
    )


def test_bytes_that_are_no_text_pass_as_they_are() -> None:
    assert known("hunter22").content(b"\xff\x00hunter22") == b"\xff\x00" + MARK.encode()
    assert known().content(b"\xff") == b"\xff"


def test_a_value_has_one_fingerprint_per_key() -> None:
    one, other = b"a" * 32, b"b" * 32
    assert fingerprint(one, {"b": 1, "a": 2}) == fingerprint(one, {"a": 2, "b": 1})
    assert fingerprint(one, "x") != fingerprint(one, "y")
    assert fingerprint(one, "x") != fingerprint(other, "x")
    assert re.fullmatch(r"[0-9a-f]{32}", fingerprint(one, "x"))


def test_a_stored_value_is_seen_with_marks_and_without_a_key() -> None:
    stored = {"a": [envelope("secret", by="0123456789abcdef", key="k1", text="…")], "b": 1}
    assert view(stored).value == {"a": ["«secret 0123456789ab»"], "b": 1}
    assert view(stored, erased=frozenset({"k1"})).value["a"] == ["«erased 0123456789ab»"]


def test_what_only_looks_like_an_envelope_is_shown_as_it_is() -> None:
    for fake in ({"$encrypted": 1}, {"$encrypted": {"as": "secret"}}, {"$encrypted": {}, "b": 1}):
        assert view(fake).value == fake


def test_a_plain_value_is_redacted_by_schema_and_by_value() -> None:
    schema = {"properties": {"password": {"x-sensitivity": "secret"}}}
    seen = redaction.redacted(
        {"password": "hunter22", "url": "https://x/?p=hunter22"}, schema, b"k" * 32
    )
    assert "hunter22" not in str(seen)
    assert seen.value["url"] == f"https://x/?p={seen.value['password']}"


def test_nothing_else_makes_something_redacted() -> None:
    with pytest.raises(TypeError):
        Redacted("hunter22")
    with pytest.raises(TypeError):
        Redacted("hunter22", object())


def test_a_sink_that_is_handed_a_text_does_not_pass_the_type_check(tmp_path: Path) -> None:
    sample = tmp_path / "sample.py"
    sample.write_text(
        textwrap.dedent("""
        from canonical.redaction import Known, Redacted

        def sink(said: Redacted) -> None: ...

        def leak(secret: str) -> None:
            sink(Known().text(secret))
            sink(secret)
            sink({"password": secret})
        """)
    )
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--config-file=", str(sample)],
        cwd=ROOT,
        env={"PATH": "/usr/bin:/bin", "MYPYPATH": str(ROOT), "MYPY_CACHE_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    refused = [line for line in done.stdout.splitlines() if "[arg-type]" in line]
    assert [line.split(":")[1] for line in refused] == ["8", "9"], done.stdout + done.stderr
