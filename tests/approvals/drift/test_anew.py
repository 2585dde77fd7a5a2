"""The page when the base moved: it says so, approving is off, and people ask anew from it."""

import re

import pytest
from django.test import Client

from approvals.drift import looks
from approvals.hashing import Difference
from approvals.models import ApprovalRequest
from approvals.models.freshness import Freshness
from tests.approvals.asking import address, git_diff, question, signed_in
from tests.approvals.drift.test_looks import MOVED, look_at
from tests.approvals.questions import ask, make_due, make_run
from tests.people import ada, bob, cy, dee, make_tenant

pytestmark = pytest.mark.django_db

FILES = [*MOVED, Difference("diff_digest", "a" * 64, "b" * 64)]


@pytest.fixture
def asked() -> ApprovalRequest:
    dee(make_tenant())
    return ask(question(make_run(make_tenant()), git_diff(3)))


@pytest.fixture
def client(asked: ApprovalRequest) -> Client:
    return signed_in(dee(asked.tenant))


def moved(asked: ApprovalRequest) -> None:
    assert looks.note_seen(look_at(asked), FILES, ["src/module_0.py"])


def yes(asked: ApprovalRequest) -> dict[str, str]:
    return {"verdict": "approve", "shown": asked.action_hash, "reason": "Read it all."}


def test_a_page_says_when_the_world_was_looked_at_again(
    asked: ApprovalRequest, client: Client
) -> None:
    looks.note_seen(look_at(asked), [])
    html = client.get(address(asked)).content.decode()
    assert "Looked at again" in html
    assert "still exactly this" in html
    assert html.count('value="approve"') == 1


def test_a_base_that_moved_is_said_by_field_and_approving_is_off(
    asked: ApprovalRequest, client: Client
) -> None:
    moved(asked)
    html = client.get(address(asked)).content.decode()
    assert "nobody can approve it" in html
    assert "src/module_0.py" in html
    assert "The change as shown" in html
    assert 'value="approve"' not in html
    assert html.count('name="verdict"') == 2  # a no is always possible


def test_the_poll_brings_the_news_and_says_so_to_the_open_form(
    asked: ApprovalRequest, client: Client
) -> None:
    page = client.get(address(asked)).content.decode()
    poll = re.search(r'hx-get="([^"]*standing/\?drift=equal[^"]*)"', page)
    assert poll is not None
    assert "HX-Trigger" not in client.get(poll[1].replace("&amp;", "&"))
    moved(asked)
    news = client.get(poll[1].replace("&amp;", "&"))
    assert news["HX-Trigger"] == "request-moved"
    assert "nobody can approve it" in news.content.decode()
    button = client.get(address(asked, "standing/?approving")).content.decode()
    assert "disabled" in button
    assert 'value="approve"' not in button
    looks.note_seen(look_at(asked), [])
    back = client.get(address(asked, "standing/?drift=moved"))
    assert back["HX-Trigger"] == "request-moved"
    assert 'value="approve"' in client.get(address(asked, "standing/?approving")).content.decode()


def test_a_yes_that_comes_too_late_gets_the_three_way_page_and_the_way_on(
    asked: ApprovalRequest, client: Client
) -> None:
    moved(asked)
    answer = client.post(address(asked, "decision/"), yes(asked))
    html = answer.content.decode()
    assert answer.status_code == 409
    assert "What would happen has changed" in html
    for word in ("origin/main", "aaaaaaaa", "bbbbbbbb", "src/module_0.py", "Read it all."):
        assert word in html
    assert address(asked, "dry-run-again/") in html
    asked.refresh_from_db()
    assert asked.state == "open"


def test_dry_run_again_closes_the_old_and_the_new_one_shows_what_is_new(
    asked: ApprovalRequest, client: Client
) -> None:
    moved(asked)
    answer = client.post(address(asked, "dry-run-again/"), follow=True)
    assert "The dry run is being made again." in answer.content.decode()
    asked.refresh_from_db()
    assert (asked.state, asked.closed_by) == ("withdrawn", "Dee")
    other = git_diff(3).replace(b"new_1", b"other_1", 1)
    new = ask(question(asked.run, other, action_id=str(asked.action_id)))
    html = client.get(address(new)).content.decode()
    assert "New since the question before" in html
    assert address(asked) in html
    assert ".github/workflows/release.yml" in html
    assert "other_1" in html
    assert "2 other files say the same as before." in html


@pytest.mark.parametrize(
    ("before", "after", "media"),
    [
        (b'{"limit":1}', b'{"limit":2}', "application/json"),
        (b"limit 1\nsame\n", b"limit 2\nsame\n", "text/plain"),
    ],
)
def test_the_difference_of_two_changes_is_shown_whatever_they_are(
    before: bytes, after: bytes, media: str
) -> None:
    acme = make_tenant()
    dee(acme)
    run = make_run(acme)
    first = question(run, before, media)
    old = ask(first)
    new = ask(question(run, after, media, action_id=first.bound.action_id))
    html = signed_in(dee(acme)).get(address(new)).content.decode()
    part = html[html.index("New since the question before") :]
    part = part[: part.index("</section>")]
    assert "1" in part
    assert "2" in part
    assert old.pk != new.pk


def test_asking_anew_where_nothing_moved_looks_again_and_closes_nothing(
    asked: ApprovalRequest, client: Client
) -> None:
    looks.note_unseen(look_at(asked), "TimeoutError: the remote is gone")
    html = client.get(address(asked)).content.decode()
    assert "Could not be checked for 1 minute" in html
    assert "the remote is gone" in html
    answer = client.post(address(asked, "dry-run-again/"), follow=True)
    assert "It is being looked at." in answer.content.decode()
    asked.refresh_from_db()
    assert asked.state == "open"
    row = Freshness.objects.get(pk=asked.pk)
    assert row.due_at is not None
    assert len(looks.claim("git.push", looks.Pace(1, 1, 1), room=1)) == 1


def test_an_operator_asks_anew_and_a_viewer_does_not(asked: ApprovalRequest) -> None:
    moved(asked)
    assert signed_in(bob(asked.tenant)).post(address(asked, "dry-run-again/")).status_code == 403
    html = signed_in(bob(asked.tenant)).get(address(asked)).content.decode()
    assert address(asked, "dry-run-again/") not in html
    assert signed_in(cy()).post(address(asked, "dry-run-again/")).status_code == 404
    assert Client().post(address(asked, "dry-run-again/")).status_code == 401
    assert signed_in(ada(asked.tenant)).get(address(asked, "dry-run-again/")).status_code == 405
    assert signed_in(ada(asked.tenant)).post(address(asked, "dry-run-again/")).status_code == 302
    asked.refresh_from_db()
    assert asked.closed_by == "Ada"


def test_who_asks_anew_second_is_told(asked: ApprovalRequest, client: Client) -> None:
    moved(asked)
    client.post(address(asked, "dry-run-again/"))
    again = signed_in(ada(asked.tenant)).post(address(asked, "dry-run-again/"))
    assert again.status_code == 409
    assert "Dee" in again.content.decode()


def test_a12_an_expired_question_is_refused_and_shown_as_expired_without_a_sweeper(
    asked: ApprovalRequest, client: Client
) -> None:
    make_due(asked)
    html = client.get(address(asked)).content.decode()
    assert "Its time is over, so it is void." in html
    assert 'name="verdict"' not in html
    assert "The run waits for an answer" not in html
    late = client.post(address(asked, "decision/"), yes(asked))
    assert late.status_code == 409
    assert "Its time was over before you pressed." in late.content.decode()
    poll = client.get(address(asked, "standing/"))
    assert poll["HX-Trigger"] == "request-closed"
    asked.refresh_from_db()
    assert asked.state == "open"  # nobody swept; nothing was counted


def test_a12_an_expired_question_needs_nobody(asked: ApprovalRequest, client: Client) -> None:
    inbox = f"/t/{asked.tenant.slug}/inbox/"
    assert address(asked) in client.get(inbox).content.decode()
    make_due(asked)
    assert address(asked) not in client.get(inbox).content.decode()
