"""Only a plain http(s) address is a link, and only whole."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from canonical.links import stretches


def links(text: str) -> list[str]:
    return [each.text for each in stretches(text) if each.is_link]


def test_a_plain_address_is_a_link_without_the_signs_of_the_sentence() -> None:
    text = "See (https://kedge.example/a?b=c&d#e), http://x.example:8080/y@z. HTTPS://A.EXAMPLE!"
    assert links(text) == ["https://kedge.example/a?b=c&d#e", "HTTPS://A.EXAMPLE"]
    assert links("http://x.example:8080/y") == ["http://x.example:8080/y"]


@pytest.mark.parametrize(
    "text",
    [
        "javascript:alert(1)",
        " JaVaScRiPt://a.example/%0aalert(1)",
        "data:text/html,<script>",
        "vbscript:x",
        "ftp://a.example",
        "https://bank.example@evil.example/",
        "https://bank.example\\@evil.example/",
        "https://b\u0430nk.example/",
        "https://bank.example\u202e/moc",
        "https://bank.example/\u200bx",
        "https://bank.example%2eevil.example",
        "https://-bank.example-/",
        "https:///path",
        "xhttps://a.example",
        "//a.example",
    ],
)
def test_anything_odd_is_no_link_at_all(text: str) -> None:
    assert links(text) == []


@given(st.text(st.sampled_from("htps:/.ab@\\ <\u202e?#!")))
def test_nothing_is_lost_or_added(text: str) -> None:
    assert "".join(each.text for each in stretches(text)) == text
