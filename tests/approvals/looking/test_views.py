"""The panel: who looked at which hash, what to look at and where, and that it has no vote."""

import re
from collections.abc import Iterator

import pytest
from django.test import Client
from pytest_django import Settings

from approvals.drift import looks
from approvals.models import ApprovalRequest, SecondLookTurn, SeenRemarks
from checkpoints import registry
from tests.approvals.asking import address, git_diff, signed_in
from tests.approvals.drift.test_looks import MOVED
from tests.approvals.drift.test_looks import look_at as look_again
from tests.approvals.looking.lookers import (
    LOOKED_AT,
    NOTHING,
    asked,
    look_at,
    remark,
    unusable,
)
from tests.approvals.questions import ONE, decide
from tests.people import bob, cy, dee, make_tenant

pytestmark = pytest.mark.django_db

HERE = remark("src/module_1.py", "new_1", "widens_permissions")


@pytest.fixture
def request_() -> ApprovalRequest:
    dee(make_tenant())
    return asked()


@pytest.fixture
def client(request_: ApprovalRequest) -> Client:
    return signed_in(dee(request_.tenant))


@pytest.fixture
def with_model(settings: Settings) -> Iterator[None]:
    """A model is configured; nothing here asks it."""
    settings.KEDGE_AGENTS = "agents.registry"
    settings.KEDGE_MODEL_URL, settings.KEDGE_MODEL = "http://models.example/v1", "small-1"
    registry.agents.cache_clear()
    yield
    registry.agents.cache_clear()


def panel(client: Client, request: ApprovalRequest) -> str:
    html = client.get(address(request)).content.decode()
    found = re.search(r'<section class="sheet second-look".*?</section>', html, re.DOTALL)
    return found[0] if found else ""


def yes(request: ApprovalRequest) -> dict[str, str]:
    return {"verdict": "approve", "shown": request.action_hash, "reason": ""}


def seen_address(request: ApprovalRequest, html: str) -> str:
    found = re.search(r'action="([^"]*/second-look/[^"]*/seen/)"', html)
    assert found is not None
    return found[1]


def test_rules_that_want_no_look_have_no_panel() -> None:
    request = asked(ONE)
    assert panel(signed_in(dee(request.tenant)), request) == ""


def test_without_a_model_it_says_that_nothing_looked(
    request_: ApprovalRequest, client: Client
) -> None:
    html = panel(client, request_)
    assert "Nothing looked at this: no model is configured." in html
    assert "It has no vote." in html


def test_while_a_model_is_asked_the_panel_asks_for_itself_until_it_is_there(
    request_: ApprovalRequest, client: Client, with_model: None
) -> None:
    html = panel(client, request_)
    assert "A model is being asked. Nobody has to wait for it." in html
    assert f'hx-get="{address(request_, "second-look/")}"' in html
    assert client.get(address(request_, "second-look/")).status_code == 200
    look_at(request_, NOTHING)
    last = client.get(address(request_, "second-look/"))
    assert (last.status_code, "hx-trigger" in last.content.decode()) == (286, False)


def test_a_failure_is_seen_and_holds_nobody_up(
    request_: ApprovalRequest, client: Client, with_model: None
) -> None:
    SecondLookTurn.objects.update(error="The model at models.example answered 503 <b>")
    html = panel(client, request_)
    assert "is tried again. Decide without it." in html
    assert "answered 503 &lt;b&gt;" in html
    assert client.post(address(request_, "decision/"), yes(request_)).status_code == 302


def test_a_remark_names_its_kind_and_leads_to_its_place(
    request_: ApprovalRequest, client: Client
) -> None:
    look = look_at(request_, HERE)
    html = panel(client, request_)
    assert "widens permissions" in html
    assert "src/module_1.py, line 2" in html
    assert f'href="{address(request_, "files/3/")}"' in html
    assert '<q class="remark-quote">new_1</q>' in html
    assert "small-1 at models.example" in html
    assert look.action_hash in html
    assert "100 tokens in, 10 out" in html
    assert "the model's choice" in html.replace("&#x27;", "'")
    place = client.get(address(request_, "files/3/"))
    assert "new_1" in place.content.decode()


def test_what_it_quotes_is_shown_as_text_and_nothing_more(client: Client) -> None:
    hostile = "[pay](http://evil.example) <script>alert(1)</script> \u202e**APPROVED**"
    request = asked(describe=hostile)
    look_at(request, remark("facts", "APPROVED"), NOTHING)
    quote = "[pay](http://evil.example) <script>alert(1)</script> ⟦U+202E⟧**APPROVED**"
    other = asked(describe=hostile)
    look_at(other, remark("facts", quote))
    html = panel(client, other)
    assert "&lt;script&gt;" in html
    assert "<script>" not in html
    assert 'href="http://evil.example' not in html
    assert "<strong>APPROVED" not in html
    assert '<span class="unseen" title="RIGHT-TO-LEFT OVERRIDE">⟦U+202E⟧</span>' in html


def test_who_may_not_read_the_change_reads_no_place_and_no_quotation(
    request_: ApprovalRequest,
) -> None:
    look_at(request_, HERE)
    html = panel(signed_in(bob(request_.tenant)), request_)
    assert "widens permissions" in html
    for hidden in ("src/module_1.py", "new_1", "/seen/"):
        assert hidden not in html


def test_a_yes_before_the_remarks_were_seen_is_refused_on_the_page_and_then_counts(
    request_: ApprovalRequest, client: Client
) -> None:
    look_at(request_, HERE)
    html = client.get(address(request_)).content.decode()
    assert "Before you approve: mark 1 remark of the second look as seen." in html
    refused = client.post(address(request_, "decision/"), yes(request_))
    assert refused.status_code == 409
    assert "A second look has remarks that you have not marked as seen." in refused.content.decode()
    assert client.post(seen_address(request_, html)).status_code == 302
    assert SeenRemarks.objects.get().user == dee(request_.tenant)
    html = client.get(address(request_)).content.decode()
    assert "You have seen 1 remark." in html
    assert "Before you approve: mark" not in html
    assert client.post(address(request_, "decision/"), yes(request_)).status_code == 302
    request_.refresh_from_db()
    assert request_.state == "approved"


def test_with_htmx_only_the_panel_comes_back_so_the_form_keeps_what_is_written(
    request_: ApprovalRequest, client: Client
) -> None:
    look_at(request_, HERE)
    url = seen_address(request_, panel(client, request_))
    html = client.post(url, headers={"HX-Request": "true"}).content.decode()
    assert html.strip().startswith('<section class="sheet second-look"')
    assert "You have seen 1 remark." in html


def test_only_a_signed_in_person_who_decides_here_says_seen(request_: ApprovalRequest) -> None:
    look = look_at(request_, HERE)
    url = address(request_, f"second-look/{look.pk}/seen/")
    assert Client().post(url).status_code == 401
    assert signed_in(cy()).post(url).status_code == 404
    assert signed_in(bob(request_.tenant)).post(url).status_code == 403
    assert signed_in(dee(request_.tenant)).get(url).status_code == 405
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(dee(request_.tenant))
    assert strict.post(url).status_code == 403
    assert not SeenRemarks.objects.exists()


def test_where_remarks_are_only_shown_nothing_is_to_be_pressed() -> None:
    request = asked(LOOKED_AT)
    look_at(request, HERE)
    assert "/seen/" not in panel(signed_in(dee(request.tenant)), request)


def test_no_usable_answer_is_said_so(request_: ApprovalRequest, client: Client) -> None:
    look_at(request_, unusable("The model's answer does not fit at $.outcome"))
    html = panel(client, request_)
    assert "It gave no usable answer. Decide without it." in html
    assert "does not fit at $.outcome" in html


def test_what_was_not_shown_to_it_is_counted(client: Client) -> None:
    request = asked(diff=git_diff(400, lines=20))
    look_at(request, NOTHING)
    html = panel(client, request)
    assert re.search(r"Not shown to it.*3\d\d whole parts", html, re.DOTALL)
    assert "It noticed nothing. That is no reason to read less." in html


def test_a_look_at_an_older_dry_run_says_so(request_: ApprovalRequest, client: Client) -> None:
    look_at(request_, HERE)
    assert "has changed since" not in panel(client, request_)
    looks.note_seen(look_again(request_), MOVED)
    assert "What would happen has changed since." in panel(client, request_)


def test_a_closed_question_keeps_its_panel_and_asks_for_nothing(
    request_: ApprovalRequest, client: Client
) -> None:
    look_at(request_, HERE)
    decide(request_, dee(request_.tenant), "reject")
    html = panel(client, request_)
    assert "widens permissions" in html
    assert "/seen/" not in html
