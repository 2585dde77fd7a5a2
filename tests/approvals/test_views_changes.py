"""How a change is shown: by file, as text, as JSON, escaped, in parts, and in bounded time."""

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from approvals.models import ApprovalRequest
from tests.approvals.asking import MAIL, address, asked_about, git_diff, signed_in
from tests.approvals.questions import TWO, decide, eve
from tests.people import dee, make_tenant

pytestmark = pytest.mark.django_db

BIG = 1_000_000


def page_of(asked: ApprovalRequest, rest: str = "") -> str:
    answer = signed_in(dee(asked.tenant)).get(address(asked, rest))
    assert answer.status_code == 200
    return answer.content.decode()


def test_a_mail_is_shown_line_by_line_with_its_line_ends_said_once() -> None:
    html = page_of(asked_about(MAIL, "text/plain"))
    assert "Subject: 4 findings\n\nHello.\n" in html
    assert "every line ends with CR LF" in html
    assert "U+000D" not in html


def test_hidden_characters_and_markup_are_shown_as_what_they_are() -> None:
    odd = "pay \u202egnp.exe <script>alert(1)</script> {{ 7|add:1 }}\n".encode()
    html = page_of(
        asked_about(
            odd, "text/plain", describe="Pay\n\u202ebob", target="<b>x</b>", summary=("<i>",)
        )
    )
    assert "⟦U+202E⟧" in html
    assert "⟦U+000A⟧" in html
    assert "<script>alert" not in html
    assert "<b>x</b>" not in html
    assert "{{ 7|add:1 }}" in html


def test_bytes_that_are_no_text_are_shown_as_marks() -> None:
    html = page_of(asked_about(b"\xff\x00 end\n", "text/plain"))
    assert "⟦U+DCFF⟧" in html
    assert "⟦U+0000⟧" in html


def test_a_diff_that_cannot_be_read_is_shown_as_text_with_a_warning() -> None:
    html = page_of(asked_about(git_diff(1) + b"and more\n"))
    assert "cannot be read as one" in html
    assert "and more" in html


def test_json_is_shown_by_path_with_its_tool() -> None:
    html = page_of(
        asked_about(b'{"after":{"limit":82000},"before":{"limit":100}}', "application/json")
    )
    assert "<code>/limit</code>" in html
    assert "<del><code>100</code></del>" in html
    assert "<ins><code>82000</code></ins>" in html
    assert "git.push" in html


def test_parameters_are_shown_by_name() -> None:
    html = page_of(asked_about(MAIL, "text/plain", parameters=b'{"subject":"4 findings"}'))
    assert "<code>/subject</code>" in html
    assert "&quot;4 findings&quot;" in html


def test_one_file_is_a_page_and_a_fragment() -> None:
    asked = asked_about(git_diff(3, lines=800))
    page = page_of(asked, "files/2/")
    assert "<html" in page
    assert "600 lines of this file are not shown here." in page
    assert f"{address(asked, 'files/2/')}?from=1000" in page
    rest = page_of(asked, "files/2/?from=1000")
    assert rest.count('class="diff-added"') == 300
    client = signed_in(dee(asked.tenant))
    fragment = client.get(address(asked, "files/2/"), headers={"HX-Request": "true"})
    assert "HX-Request" in fragment["Vary"]
    assert "<html" not in fragment.content.decode()
    assert client.get(address(asked, "files/4/")).status_code == 404


def test_many_files_come_in_pages_of_plain_links() -> None:
    asked = asked_about(git_diff(90))
    html = page_of(asked)
    assert "Files 1 to 40 of 90" in html
    assert 'rel="next" href="?files=2#change"' in html
    last = page_of(asked, "?files=3")
    assert "Files 81 to 90 of 90" in last
    assert "Files 81 to 90 of 90" in page_of(asked, "?files=999999")
    assert "Files 1 to 40 of 90" in page_of(asked, "?files=x")


def test_ten_megabytes_are_one_small_page() -> None:
    asked = asked_about(git_diff(5000, lines=65))
    html = page_of(asked)
    assert len(html) < BIG
    assert "Files 1 to 40 of 5,000" in html
    assert len(page_of(asked, "files/4999/")) < BIG
    assert len(page_of(asked, "standing/")) < 10_000


def test_one_line_of_megabytes_is_bounded_too() -> None:
    asked = asked_about(git_diff(1).replace(b"new_1", b"n" * 5_000_000))
    html = page_of(asked)
    assert len(html) < BIG
    assert "more characters of this line are only in the whole diff as text" in html


def test_a_poll_reads_none_of_the_heavy_bytes() -> None:
    asked = asked_about(git_diff(3))
    client = signed_in(dee(asked.tenant))
    with CaptureQueriesContext(connection) as captured:
        client.get(address(asked, "standing/"))
    assert not [query for query in captured if '"diff"' in query["sql"]]


def test_more_people_and_files_cost_no_more_queries() -> None:
    acme = make_tenant()
    dee(acme)
    few = _queries(signed_in(dee(acme)), asked_about(git_diff(1), requirement=TWO))
    eve(acme)
    busy = asked_about(git_diff(80), requirement=TWO)
    decide(busy, eve(acme))
    assert _queries(signed_in(dee(acme)), busy) == few


def test_forms_carry_the_hash_that_was_rendered() -> None:
    asked = asked_about(git_diff(1))
    html = page_of(asked)
    shown = re.findall(r'name="shown" value="([0-9a-f]{64})"', html)
    assert shown == [asked.action_hash]
    assert "csrfmiddlewaretoken" in html


def test_a_post_without_the_token_of_the_form_decides_nothing() -> None:
    asked = asked_about(git_diff(1))
    client = Client(enforce_csrf_checks=True)
    client.force_login(dee(asked.tenant))
    answer = client.post(
        address(asked, "decision/"), {"verdict": "approve", "shown": asked.action_hash}
    )
    assert answer.status_code == 403
    asked.refresh_from_db()
    assert asked.state == "open"


def _queries(client: Client, asked: ApprovalRequest) -> int:
    with CaptureQueriesContext(connection) as captured:
        assert client.get(address(asked)).status_code == 200
    return len(captured)
