"""The tags and filters as they come out of a template."""

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.template import Context, Template
from django.utils import timezone

AT = datetime(2026, 11, 29, 13, 20, 11, tzinfo=UTC)


def rendered(source: str, **context: Any) -> str:
    return Template("{% load kedge %}" + source).render(Context(context)).strip()


def test_moment_is_a_time_element() -> None:
    assert rendered("{{ at|moment }}", at=AT) == (
        '<time datetime="2026-11-29T13:20:11+00:00" title="2026-11-29 13:20:11 UTC">'
        "2026-11-29 13:20:11 UTC</time>"
    )


def test_age_keeps_the_full_time_in_its_title() -> None:
    html = rendered("{{ at|age }}", at=timezone.now() - timedelta(minutes=4, seconds=1))
    assert html.endswith(">4 min ago</time>")
    assert ' UTC">' in html


@pytest.mark.parametrize("name", ["moment", "age", "clock", "day", "span", "bytes"])
def test_nothing_is_a_dash(name: str) -> None:
    for value in (None, ""):
        assert "\u2013" in rendered("{{ value|" + name + " }}", value=value)


def test_zero_is_not_nothing() -> None:
    assert rendered("{{ 0|span }} {{ 0|count }}") == "0 ms 0"
    assert "0 bytes" in rendered("{{ 0|bytes }}")


def test_missing_count_is_a_question_mark() -> None:
    assert rendered("{{ missing|count }}") == "?"


def test_untrusted_text_is_escaped_and_what_is_unseen_is_marked() -> None:
    html = rendered("{{ text|shown }}", text="<b>a\u202eb\n")
    assert html == (
        '&lt;b&gt;a<span class="unseen" title="RIGHT-TO-LEFT OVERRIDE">⟦U+202E⟧</span>b'
        '<span class="unseen" title="LINE FEED">⟦U+000A⟧</span>'
    )


def test_lines_stay_lines_where_they_are_layout() -> None:
    assert rendered('{{ text|shown:"lines" }}', text="a\n\tb") == "a\n\tb"


def test_id_is_short_and_whole_in_its_title() -> None:
    assert rendered("{{ id|short }}", id='<"9f3a2b1c">') == (
        '<code title="&lt;&quot;9f3a2b1c&quot;&gt;">&lt;&quot;9f3a2b</code>'
    )


def test_pill_says_word_shape_colour_and_reason() -> None:
    html = rendered('{% pill "waiting" "for_approval" %}')
    assert 'class="pill tone-waiting"' in html
    assert "#pause" in html
    assert "<span>Waiting</span>" in html
    assert '<span class="pill-reason">for approval</span>' in html


def test_final_state_has_a_solid_border() -> None:
    assert "pill-final" in rendered('{% pill "succeeded" "done" %}')
    assert "pill-final" not in rendered('{% pill "held" "crash_loop" %}')


@pytest.mark.urls("tests.ui.urls")
def test_place_prefers_the_tenant_of_the_page() -> None:
    nav = {"tenant": SimpleNamespace(slug="acme")}
    assert rendered('{% place "runs" %}', nav=nav) == "/t/acme/runs/"
    assert rendered('{% place "system" %}', nav=nav) == "/system/"


@pytest.mark.urls("tests.ui.urls")
def test_place_that_does_not_exist_is_nothing() -> None:
    assert rendered('{% place "runs" %}') == ""
    assert rendered('{% place "no-such-page" %}{% nav_link "no-such-page" "x" %}') == ""
