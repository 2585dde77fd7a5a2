"""Every kind of case in the browser: found in the queue, read, decided, and proven by the run.

Causes and ends are those of the table of all verdicts; here each kind takes one road to its very end.
Rules demand two people wherever somebody says what became of an effect.
"""

import re
from collections import Counter
from dataclasses import dataclass

import pytest
from playwright.sync_api import Locator, Page, expect

from checkpoints import states
from checkpoints.models import Case, ProposedVerdict, Run, Verdict
from reconciliation import verdicts
from reconciliation.models import Action, Attempt
from reconciliation.verdicts import Choice
from tests.engine.faketools import effects
from tests.engine.turns import Bench
from tests.journeys.conftest import SitDown
from tests.journeys.places import inbox_page
from tests.people import eve
from tests.reconciliation.causes import CAUSES
from tests.reconciliation.verdicts.test_every_kind import ENDS, End, what_is_there
from tests.reconciliation.verdicts.twopeople import demand

pytestmark = pytest.mark.django_db(transaction=True)

SAID_BY_TWO = (states.IT_HAPPENED, states.IT_STANDS)
TWO = {"name": "two-say-it", "verdicts": list(SAID_BY_TWO), "people": 2}


@dataclass(frozen=True)
class Road:
    """What the page asks, the verdict that is pressed, the run's end, and what the world has then."""

    heading: str
    verdict: str
    seq: str = ""
    status: str = "succeeded"
    in_world: int = 1


ROADS = {
    "outcome_unknown": Road("Did this happen? write a-0", "it_happened"),
    "unmigratable": Road("This code cannot read the run", "try_again"),
    "damaged_checkpoint": Road("A checkpoint is damaged", "go_on_from", "2"),
    "missing_blob": Road("A large value is gone", "go_on_from", "2"),
    "world_changed": Road("The world is not as it was read", "try_again"),
    "credential_invalid": Road("A credential does not work", "try_again"),
    "crash_loop": Road("Workers keep dying on this run", "try_again"),
    "invalid_output": Road(
        "A node returned what it must not", "cancel", status="cancelled", in_world=0
    ),
    "duplicate_effect": Road("An effect may be there twice", "it_stands"),
    "contradicted": Road("New evidence contradicts the ledger", "it_happened"),
    # Only the journal has it: the test's world never got it.
    "record_behind": Road("The record is behind the world", "it_happened", in_world=0),
}

# What the page says once a verdict is given.
DECIDED = re.compile("Sent, not yet proven|Closed: ")


def test_every_kind_has_a_road() -> None:
    assert set(ROADS) == set(states.CASE_KINDS)


@pytest.mark.parametrize("kind", sorted(ROADS))
def test_from_the_queue_to_the_proof(
    engine: Bench, sit_down: SitDown, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    demand(monkeypatch, engine.tenant, TWO)
    road, case = ROADS[kind], CAUSES[kind](engine, monkeypatch)
    page = sit_down(engine.starter)
    opened(page, engine, case, road)
    was, attempts = what_is_there(), Attempt.objects.count()
    decided(page, case, road)
    if road.verdict in SAID_BY_TWO:
        assert not Verdict.objects.filter(case=case).exists()
        agreed(sit_down(eve(engine.tenant)), engine, case, road)
    # A verdict is kept, and sends nothing.
    assert Verdict.objects.get(case=case).given_by == engine.starter
    assert (what_is_there(), Attempt.objects.count()) == (was, attempts)
    page.reload()
    expect(standing(page)).to_contain_text(DECIDED)
    go_on(engine, case, ENDS[kind, road.verdict])
    proven(page, engine, case, road)


def opened(page: Page, engine: Bench, case: Case, road: Road) -> None:
    """Its line in the queue says what is wrong, and leads to its page, which says so too."""
    page.goto(inbox_page(engine))
    line = page.locator(f'a.row-link[href*="/cases/{case.pk}/"]')
    expect(line).to_have_text(case.sentence)
    line.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text(road.heading)
    expect(standing(page)).to_contain_text(case.sentence)
    run = Run.objects.get(pk=case.run_id)
    assert (run.status, run.reason) == ("held", case.kind)


def decided(page: Page, case: Case, road: Road) -> None:
    """The verdict that the page offers is opened, written and pressed."""
    choice = choice_of(case, road)
    box = page.locator("details.verdict").filter(
        has=page.get_by_text(str(choice.label), exact=True)
    )
    box.locator("summary").first.click()
    if choice.needs_evidence:
        box.get_by_label("Evidence", exact=True).fill("Seen there at noon.")
    if choice.needs_seq:
        box.get_by_label("Checkpoint to go on from").fill(road.seq)
    box.get_by_label("Reason").fill("Because.")
    before = "Propose: " if road.verdict in SAID_BY_TWO else ""
    box.get_by_role("button", name=f"{before}{choice.label}", exact=True).click()
    if before:
        expect(page.get_by_role("heading", name=f"Proposed: {choice.label}")).to_be_visible()
    else:
        expect(standing(page)).to_contain_text(DECIDED)


def agreed(page: Page, engine: Bench, case: Case, road: Road) -> None:
    """A second person finds it in their queue, and agrees on exactly what was written."""
    page.goto(inbox_page(engine))
    page.locator(f'a.row-link[href*="/cases/{case.pk}/"]').click()
    expect(page.locator("#proposal")).to_contain_text("Seen there at noon.")
    code = ProposedVerdict.objects.get(case=case).terms[:8]
    agree = f"Agree: {choice_of(case, road).label} ({code})"
    page.get_by_role("button", name=agree, exact=True).click()
    expect(page.get_by_text("Eve agreed on exactly this.").first).to_be_visible()
    assert Verdict.objects.get(case=case).agreed_by == eve(engine.tenant)


def choice_of(case: Case, road: Road) -> Choice:
    (found,) = (each for each in verdicts.choices(case) if each.verdict == road.verdict)
    return found


def go_on(engine: Bench, case: Case, end: End) -> None:
    """The engine takes its turns: to where the table says, and past an approval to the end."""
    engine.turn()
    if Run.objects.filter(status="queued").exists():  # its yes of before woke it once more
        engine.turn()
    run = Run.objects.get(pk=case.run_id)
    assert (run.status, run.reason) == (end.status, end.reason), run.sentence
    if run.reason == states.FOR_APPROVAL:
        engine.decide(run)
        engine.turn()


def proven(page: Page, engine: Bench, case: Case, road: Road) -> None:
    """Rows, pages and the outside world say the same of the end."""
    case.refresh_from_db()
    run = Run.objects.get(pk=case.run_id)
    assert (run.status, len(effects())) == (road.status, road.in_world), run.sentence
    assert case.closed_at is not None
    assert not Case.objects.filter(run=run, closed_at=None).exists()
    # Proposed anew after a step back, what was proposed before did not happen.
    outcomes = Counter(Action.objects.filter(run=run).values_list("outcome", flat=True))
    assert outcomes["happened"] == (road.status == "succeeded")
    assert set(outcomes) <= {"happened", "did_not_happen"}
    page.reload()
    expect(standing(page)).to_contain_text(f"Closed: {case.closed_because}")
    page.goto(inbox_page(engine))
    expect(page.get_by_text("Nothing needs a person")).to_be_visible()


def standing(page: Page) -> Locator:
    return page.locator("#case-standing")
