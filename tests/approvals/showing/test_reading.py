"""Whoever is shown a part of a change has opened it, once, with its bytes; whoever is not, has not."""

import hashlib

import pytest
from django.test import Client

from approvals.models import ApprovalRequest, Decision, OpenedPart
from approvals.showing import coverage, shown
from tests.approvals.asking import MAIL, address, asked_about, git_diff, signed_in
from tests.people import ada, bob, dee

pytestmark = pytest.mark.django_db

LARGE = git_diff(12, lines=40)


def opened(asked: ApprovalRequest) -> list[str]:
    return sorted(row.part for row in shown.opened(asked))


def get(
    asked: ApprovalRequest, rest: str = "", client: Client | None = None, *, fragment: bool = False
) -> str:
    client = client or signed_in(dee(asked.tenant))
    headers = {"HX-Request": "true"} if fragment else None
    answer = client.get(address(asked, rest), headers=headers)
    assert answer.status_code == 200
    return answer.content.decode()


def test_the_page_keeps_what_it_shows_and_a_file_is_kept_when_it_is_opened() -> None:
    asked = asked_about(LARGE)
    html = get(asked)
    assert opened(asked) == ["file/1/1", "parameters/1"]
    assert "You opened 1 of 12 files." in html
    news = get(asked, "files/7/", fragment=True)
    assert opened(asked) == ["file/1/1", "file/7/1", "parameters/1"]
    assert "You opened 2 of 12 files." in news
    assert 'hx-swap-oob="true"' in news
    assert "You opened 2 of 12 files." in get(asked)


def test_what_was_opened_is_exactly_the_bytes_that_are_stored() -> None:
    for asked in (
        asked_about(git_diff(3, lines=700)),
        asked_about(MAIL * 3_000, "text/plain"),
        asked_about(b'{"after":{"a":[1,2]},"before":{}}', "application/json"),
    ):
        get(asked)
        for row in shown.opened(asked):
            content = bytes(asked.parameters if row.part.startswith("parameters") else asked.diff)
            piece = content[row.from_byte : row.to_byte]
            assert row.digest == hashlib.sha256(piece).hexdigest()
            assert row.at is not None


def test_a_file_is_opened_when_all_of_its_parts_are() -> None:
    asked = asked_about(git_diff(2, lines=300))
    user = dee(asked.tenant)
    get(asked)
    assert coverage.of(asked, user).opened_files == 0
    last = max(
        int(part.name[7:]) for part in coverage.parts(asked) if part.name.startswith("file/1/")
    )
    get(asked, f"files/1/?part={last}")
    assert coverage.of(asked, user).opened_files == 0
    number = 1
    while f"file/1/{number}" in {part.name for part in coverage.parts(asked)}:
        get(asked, f"files/1/?part={number}")
        number += 1
    assert number > 2
    assert coverage.of(asked, user).opened_files == 1


def test_everything_opened_is_said_so() -> None:
    asked = asked_about(LARGE)
    for number in range(1, 13):
        get(asked, f"files/{number}/")
    assert not coverage.of(asked, dee()).is_whole
    assert "You opened everything there is to see." in get(asked)
    assert coverage.of(asked, dee()).is_whole


@pytest.mark.parametrize("media", ["text/plain", "application/json"])
def test_parts_of_other_changes_are_kept_too(media: str) -> None:
    diff = b'{"k":"' + b"word " * 30_000 + b'"}'
    asked = asked_about(diff, media)
    get(asked)
    get(asked, "?part=2")
    said = coverage.of(asked, dee())
    assert said.files == 0
    assert said.opened_parts == len(opened(asked))
    assert not said.is_whole


def test_a_value_too_long_for_a_row_is_opened_on_its_own_page() -> None:
    asked = asked_about(b'{"k":"' + b"word " * 9_000 + b'"}', "application/json")
    assert f'href="{address(asked, "values/whole/1/")}"' in get(asked)
    get(asked, "values/whole/1/")
    assert "values/whole/1" not in opened(asked)
    page, number = get(asked, "values/whole/1/?part=2"), 2
    while 'rel="next"' in page:
        number += 1
        page = get(asked, f"values/whole/1/?part={number}")
    assert "values/whole/1" in opened(asked)
    assert coverage.of(asked, dee()).is_whole


def test_long_parameters_are_opened_when_they_are_asked_for() -> None:
    asked = asked_about(git_diff(1), parameters=b'{"body":"' + b"word " * 2_000 + b'"}')
    html = get(asked)
    assert "word word" not in html
    assert opened(asked) == ["file/1/1"]
    assert "word word" in get(asked, "parameters/", fragment=True)
    assert opened(asked) == ["file/1/1", "parameters/1"]


def test_reading_decides_nothing() -> None:
    asked = asked_about(LARGE)
    for rest in ("", "files/2/", "parameters/", "diff/", "?view=side"):
        get(asked, rest)
    asked.refresh_from_db()
    assert (asked.state, Decision.objects.count()) == ("open", 0)


def test_who_may_not_read_the_change_has_opened_nothing() -> None:
    asked = asked_about(LARGE)
    client = signed_in(bob(asked.tenant))
    html = get(asked, client=client)
    assert "You opened" not in html
    assert "new_0" not in html
    for rest in ("files/1/", "parameters/", "values/whole/1/", "diff/"):
        assert client.get(address(asked, rest)).status_code == 403
    assert opened(asked) == []


@pytest.mark.parametrize("rest", ["", "files/2/", "parameters/", "diff/"])
def test_a_page_fetched_ahead_or_asked_for_its_head_opens_nothing(rest: str) -> None:
    asked = asked_about(LARGE)
    client = signed_in(dee(asked.tenant))
    client.get(address(asked, rest), headers={"Sec-Purpose": "prefetch;prerender"})
    assert client.head(address(asked, rest)).status_code == 200
    assert OpenedPart.objects.count() == 0


def test_a_form_that_comes_back_opens_nothing() -> None:
    asked = asked_about(LARGE)
    client = signed_in(dee(asked.tenant))
    answer = client.post(address(asked, "decision/"), {"shown": asked.action_hash})
    assert answer.status_code == 422
    assert "new_0" in answer.content.decode()
    assert OpenedPart.objects.count() == 0


def test_what_one_person_opened_is_not_what_another_did() -> None:
    asked = asked_about(LARGE)
    get(asked, "files/3/")
    assert "You opened 1 of 12 files." in get(asked, client=signed_in(ada(asked.tenant)))
    assert {row.user.name for row in shown.opened(asked)} == {"Ada", "Dee"}


def test_a_foreign_tenants_parts_do_not_exist() -> None:
    asked, other = asked_about(LARGE), asked_about(LARGE)
    del other
    client = signed_in(dee(asked.tenant))
    for rest in ("files/1/", "parameters/", "values/whole/1/", "diff/"):
        foreign = address(asked, rest).replace(
            str(asked.pk), "00000000-0000-7000-8000-000000000000"
        )
        assert client.get(foreign).status_code == 404
    assert OpenedPart.objects.count() == 0
