"""All effects across runs: what a filter finds, what they sum to, and who allowed them."""

from dataclasses import replace
from datetime import timedelta
from urllib.parse import urlencode

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from execution.plans.models import PlanItem
from reconciliation import sensitive
from reconciliation.models import Action
from reconciliation.overview import listing, revealing
from reconciliation.overview.filtering import Wanted
from reconciliation.overview.revealing import TooManyError
from reconciliation.verdicts import compensating
from tenants.keys.errors import ErasedError
from tenants.models import AuditRow
from tests import people
from tests.engine.turns import Bench
from tests.reconciliation.deskwork import guards_off, signed_in, unknown_mail

pytestmark = pytest.mark.django_db
ALL = Wanted(window="all")


def done(engine: Bench, tool: str = "fake.void") -> Action:
    """An effect that happened, approved by the engine's approver."""
    run = engine.start(tool=tool, what="a")
    engine.turn()
    engine.decide(run)
    engine.turn()
    return Action.objects.get(run=run)


def ids(engine: Bench, wanted: Wanted) -> list[object]:
    return [row.action.pk for row in listing.found(engine.tenant, wanted).rows]


@pytest.fixture
def effects(engine: Bench) -> dict[str, Action]:
    """One that happened, one of which nobody knows, one that waits for a yes; oldest first."""
    happened = done(engine)
    unknown = Action.objects.get(run=unknown_mail(engine).run_id)
    waiting = engine.start(tool="fake.keyed", what="c")
    engine.turn()
    return {"happened": happened, "unknown": unknown, "waiting": Action.objects.get(run=waiting)}


@pytest.mark.parametrize(
    ("filter_", "found"),
    [
        ({}, ("waiting", "unknown", "happened")),
        ({"tool": "fake.void"}, ("happened",)),
        ({"standing": "nobody_knows"}, ("unknown",)),
        ({"standing": "happened"}, ("happened",)),
        ({"standing": "proposed"}, ("waiting",)),
        ({"approved_by": "person"}, ("unknown", "happened")),
        ({"approved_by": "rule"}, ()),
        ({"approved_by": "nobody"}, ("waiting",)),
        ({"who": "DEE@example.org"}, ("unknown", "happened")),
        ({"who": "ada@example.org"}, ()),
        ({"target": "WORLD/a"}, ("unknown", "happened")),
        ({"combo": "0" * 64}, ()),
    ],
)
def test_a_filter_finds_exactly_those(
    engine: Bench, effects: dict[str, Action], filter_: dict[str, str], found: tuple[str, ...]
) -> None:
    assert ids(engine, replace(ALL, **filter_)) == [effects[name].pk for name in found]  # type: ignore[arg-type]


def test_a_combo_is_found_by_how_its_digest_begins(
    engine: Bench, effects: dict[str, Action]
) -> None:
    digest = bytes(effects["happened"].run.combo.digest).hex()
    for length in (1, 7, 64):
        found = ids(engine, replace(ALL, combo=digest[:length]))
        assert effects["happened"].pk in found
    other = "f" if digest[0] != "f" else "0"
    assert effects["happened"].pk not in ids(engine, replace(ALL, combo=other))


def test_a_row_says_who_allowed_it(engine: Bench, effects: dict[str, Action]) -> None:
    rows = {row.action.pk: row for row in listing.found(engine.tenant, ALL).rows}
    assert rows[effects["happened"].pk].people == (str(engine.approver),)
    assert rows[effects["waiting"].pk].people == ()


def test_sums_are_of_all_that_match_and_not_of_the_page(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(3):
        action = done(engine)
        with guards_off():
            size = {"amount": 1250, "currency": "EUR", "recipients": 1}
            Action.objects.filter(pk=action.pk).update(magnitude=size)
    monkeypatch.setattr(listing, "ROWS", 2)
    found = listing.found(engine.tenant, ALL)
    assert (len(found.rows), found.more, found.number) == (2, True, 3)
    assert found.money == [("EUR", "37.50 EUR")]
    assert found.counts == [("recipients", 3)]
    older = listing.found(engine.tenant, replace(ALL, before=found.rows[-1].action.pk))
    assert (len(older.rows), older.more, older.number) == (1, False, 3)


def test_a_foreign_tenants_effects_are_not_there(engine: Bench, effects: dict[str, Action]) -> None:
    other = people.make_tenant("other")
    assert listing.found(other, replace(ALL, before=effects["unknown"].pk)).rows == []


def test_recipients_are_taken_along_in_the_clear_and_audited(
    engine: Bench, effects: dict[str, Action]
) -> None:
    content = revealing.recipients(
        engine.tenant, replace(ALL, tool="fake.void"), user=engine.approver
    )
    assert content.count("\r\n") == 2
    assert '"world/a-' in content
    row = AuditRow.objects.get(verb="export_recipients")
    assert (row.detail["effects"], row.detail["tool"]) == (1, "fake.void")


def test_none_is_left_out_of_what_is_taken_along(
    engine: Bench, effects: dict[str, Action], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing, "COUNTED_TO", 2)
    with pytest.raises(TooManyError):
        revealing.recipients(engine.tenant, ALL, user=engine.approver)
    assert not AuditRow.objects.filter(verb="export_recipients").exists()
    answer = signed_in(engine.approver).post(
        reverse("reconciliation:export_recipients", args=[engine.tenant.slug]) + "?window=all"
    )
    assert answer.status_code == 422
    assert "Too many to take along" in answer.content.decode()


def test_the_page_keeps_its_filter_and_offers_a_plan(
    engine: Bench, effects: dict[str, Action]
) -> None:
    client: Client = signed_in(engine.starter)
    page = client.get(reverse("actions", args=[engine.tenant.slug]), {"tool": "fake.void"})
    text = page.content.decode()
    assert page.context["found"].number == 1
    assert f'value="{effects["happened"].pk}"' in text
    assert 'name="from" value="actions"' in text
    bad = client.get(reverse("actions", args=[engine.tenant.slug]), {"combo": "xyz", "window": "?"})
    assert bad.status_code == 200


def test_what_was_compensated_stands_no_more_and_its_page_says_by_what(
    engine: Bench, effects: dict[str, Action]
) -> None:
    happened = effects["happened"]
    undoing = compensating.undo(happened, why="wrong", channel="test", user=engine.starter)
    engine.turn()
    assert listing.found(engine.tenant, replace(ALL, standing="compensated")).rows == []
    engine.decide(undoing)
    engine.turn()
    undo = Action.objects.get(run=undoing)
    assert (undo.compensates_id, undo.outcome) == (happened.pk, "happened")
    [row] = listing.found(engine.tenant, replace(ALL, standing="compensated")).rows
    assert (row.action.pk, row.standing) == (happened.pk, "compensated")
    assert ids(engine, replace(ALL, standing="happened")) == [undo.pk]
    client = signed_in(engine.starter)
    at = [
        reverse("reconciliation:action", args=[engine.tenant.slug, pk])
        for pk in (happened.pk, undo.pk)
    ]
    pages = [client.get(url).content.decode() for url in at]
    assert "It was compensated since by" in pages[0]
    assert at[1] in pages[0]
    assert "It compensates" in pages[1]
    assert at[0] in pages[1]
    assert "It was compensated" not in pages[1]


def test_all_that_match_become_one_plan_and_an_empty_filter_none(
    engine: Bench, effects: dict[str, Action], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing, "ROWS", 1)
    client: Client = signed_in(engine.starter)
    page = reverse("actions", args=[engine.tenant.slug])
    new = reverse("new_plan", args=[engine.tenant.slug])
    assert "from=effects" not in client.get(page, {"window": "all"}).content.decode()
    two = {"approved_by": "person", "window": "all"}
    assert f"{new}?approved_by=person&amp;window=all&amp;from=effects" in (
        client.get(page, two).content.decode()
    )
    form = {"what": "look_up", "reason": "they are back", "per_minute": "600"}
    made = client.post(f"{new}?{urlencode({**two, 'from': 'effects'})}", form)
    assert made.status_code == 302, made.content.decode()
    planned = PlanItem.objects.values_list("action_id", flat=True)
    assert set(planned) == {effects["happened"].pk, effects["unknown"].pk}
    for nothing in (
        {},
        {"window": "all"},
        {"tool": "nonsense"},
        {"combo": "xyz", "tool": "fake.void"},
    ):
        answer = client.get(f"{new}?{urlencode({**nothing, 'from': 'effects'})}")
        assert answer.status_code == 409, nothing


def test_the_newest_are_looked_at_and_the_page_says_where_that_ends(
    engine: Bench, effects: dict[str, Action], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not listing.found(engine.tenant, ALL).ended_early
    monkeypatch.setattr(listing, "LOOKED_AT", 1)
    found = listing.found(engine.tenant, ALL)
    assert [row.action.pk for row in found.rows] == [effects["waiting"].pk]
    assert found.ended_early


def test_no_more_are_counted_than_is_said(
    engine: Bench, effects: dict[str, Action], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing, "COUNTED_TO", 1)
    assert listing.found(engine.tenant, ALL).number == 2


def test_what_is_older_than_the_window_is_not_there(
    engine: Bench, effects: dict[str, Action]
) -> None:
    with guards_off():
        old = timezone.now() - timedelta(days=8)
        Action.objects.filter(pk=effects["happened"].pk).update(proposed_at=old)
    assert effects["happened"].pk not in ids(engine, Wanted())
    assert effects["happened"].pk in ids(engine, Wanted(window="30d"))


def test_an_erased_recipient_stays_erased(
    engine: Bench, effects: dict[str, Action], monkeypatch: pytest.MonkeyPatch
) -> None:
    def erased(_action: Action) -> bytes:
        raise ErasedError("Key 7 was destroyed.")

    monkeypatch.setattr(sensitive, "parameters", erased)
    content = revealing.recipients(engine.tenant, ALL, user=engine.approver)
    assert content.count("(erased)") == 3
