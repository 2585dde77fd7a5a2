"""How a change is shown: by file, as text, as JSON, escaped, in parts, and in bounded time."""

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from approvals.models import ApprovalRequest
from canonical.unified import FileDiff, parse_unified
from tests.approvals.asking import MAIL, address, asked_about, git_diff, signed_in
from tests.approvals.questions import TWO, decide, eve
from tests.people import dee, make_tenant

pytestmark = pytest.mark.django_db

SCREEN = 50_000


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
    shown = page.count('class="diff-added"') + page.count('class="diff-removed"')
    assert f"{1600 - shown:,} more lines of this file are not shown here." in page
    assert f'href="{address(asked, "files/2/")}?part=2"' in page
    rest = page_of(asked, "files/2/?part=2")
    assert f"{shown} lines stand before these." in rest
    client = signed_in(dee(asked.tenant))
    fragment = client.get(address(asked, "files/2/"), headers={"HX-Request": "true"})
    assert "HX-Request" in fragment["Vary"]
    assert "<html" not in fragment.content.decode()
    for gone in ("files/4/", "files/0/", "files/2/?part=99"):
        assert client.get(address(asked, gone)).status_code == 404


def test_all_parts_of_a_file_together_are_all_its_lines() -> None:
    asked = asked_about(git_diff(2, lines=900))
    lines, rest = [], "files/2/"
    while rest:
        page = page_of(asked, rest)
        lines += re.findall(r"<td>(new_[0-9]+ = )", page)
        following = re.search(r'rel="next" href="[^"]*(files/2/[^"]*)"', page)
        rest = following[1] if following else ""
    assert lines == [f"new_{number} = " for number in range(900)]


def test_many_files_come_in_pages_of_plain_links() -> None:
    asked = asked_about(git_diff(60))
    html = page_of(asked)
    assert "Files 1 to 24 of 60." in html
    assert 'rel="next" href="?files=2#change"' in html
    last = page_of(asked, "?files=3")
    assert "Files 49 to 60 of 60." in last
    assert "Files 49 to 60 of 60." in page_of(asked, "?files=999999")
    assert "Files 1 to 24 of 60." in page_of(asked, "?files=x")


def test_files_of_a_class_or_a_folder_are_said_to_be_some_of_all() -> None:
    asked = asked_about(git_diff(60))
    html = page_of(asked, "?kind=ci")
    assert "Files 1 to 1 of the 1 chosen; the change has 60." in html
    assert 'href="?#change">Show all files' in html
    assert "Files 1 to 24 of the 59 chosen; the change has 60." in page_of(asked, "?folder=src/")
    assert "Files 1 to 24 of 60." in page_of(asked, "?kind=nonsense")


def test_the_tree_leads_to_folders_of_a_large_change_and_to_files_of_a_small_one() -> None:
    large = page_of(asked_about(git_diff(60)))
    assert '<a href="?folder=src%2F#change">src/</a>' in large
    assert "59 files" in large
    small = asked_about(git_diff(3))
    html = page_of(small)
    assert '<a href="#file-2">module_0.py</a>' in html
    assert 'id="file-2"' in html


def test_two_columns_are_an_address_and_need_no_script() -> None:
    asked = asked_about(git_diff(2))
    assert 'href="?view=side#change"' in page_of(asked)
    html = page_of(asked, "?view=side")
    assert html.count('<td class="side-removed">old_0') == 2
    assert html.count('<td class="side-added">new_0') == 2
    assert 'href="?#change">One column' in html
    large = asked_about(git_diff(60, lines=40))
    assert f'{address(large, "files/9/")}?view=side"' in page_of(large, "?view=side")


def test_the_first_screen_of_ten_megabytes_in_five_thousand_files_is_small() -> None:
    asked = asked_about(git_diff(5000, lines=65))
    for rest in ("", "?view=side", "?folder=src/", "?kind=source&files=7"):
        assert len(page_of(asked, rest).encode()) <= SCREEN
    assert "Files 1 to 24 of 5,000." in page_of(asked)
    assert len(page_of(asked, "files/4999/").encode()) <= SCREEN
    assert len(page_of(asked, "standing/")) < 10_000


def test_a_large_diff_is_read_once_and_then_only_the_part_that_is_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read: list[str] = []

    def counting(text: str) -> list[FileDiff]:
        read.append(text)
        return parse_unified(text)

    monkeypatch.setattr("canonical.outlines.parse_unified", counting)
    asked = asked_about(git_diff(500, lines=65))
    page_of(asked)
    assert len(read) == 500
    page_of(asked, "?files=3")
    client = signed_in(dee(asked.tenant))
    client.get(address(asked, "files/77/"))
    first = len(read)
    with CaptureQueriesContext(connection) as captured:
        for number in (78, 200, 499):
            assert client.get(address(asked, f"files/{number}/")).status_code == 200
    assert len(read) == first
    loads = re.compile(r'(?<!SUBSTRING\()"approvals_approvalrequest"."diff"(?!_)')
    assert not [query for query in captured if loads.search(query["sql"])]


def test_one_line_of_megabytes_is_bounded_too() -> None:
    asked = asked_about(git_diff(1).replace(b"new_1", b"n" * 5_000_000))
    html = page_of(asked)
    assert len(html.encode()) <= SCREEN
    assert "1 more line of this file is not shown here" in html
    piece = page_of(asked, "files/1/?part=2")
    assert len(piece.encode()) <= SCREEN
    assert "One line of 5,000,007 characters, of which these are 1 to 16,000." in piece


def test_hostile_text_is_bounded_too() -> None:
    odd = "\u202e".encode()
    for asked in (
        asked_about(odd * 1_000_000, "text/plain"),
        asked_about(git_diff(3).replace(b"new_1", odd * 300_000)),
        asked_about(b'{"a":"' + odd * 100_000 + b'"}', "application/json"),
        asked_about(git_diff(3).replace(b"module_0", odd * 3_000)),
        asked_about(
            git_diff(1), describe="\u202e" * 900, parameters=b'{"a":"' + odd * 9_000 + b'"}'
        ),
    ):
        assert len(page_of(asked).encode()) <= 2 * SCREEN


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
