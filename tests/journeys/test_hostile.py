"""What a browser shows of a hostile change: every odd character, in the order of the bytes, as text."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from approvals.showing import shown
from tests.approvals.asking import asked_about, git_diff
from tests.engine.turns import Bench
from tests.journeys.conftest import SitDown
from tests.journeys.hostile import hostile_change
from tests.journeys.places import approval_page
from tests.journeys.test_looks import SCREENS, faultless

pytestmark = pytest.mark.django_db(transaction=True)

# Where each character of a row stands, from left to right, line by line.
POSITIONS = """row => {
  const found = [], walker = document.createTreeWalker(row, NodeFilter.SHOW_TEXT), range = document.createRange();
  while (walker.nextNode()) for (let at = 0; at < walker.currentNode.length; at++) {
    range.setStart(walker.currentNode, at); range.setEnd(walker.currentNode, at + 1);
    const box = range.getBoundingClientRect();
    if (box.width) found.push([walker.currentNode.data[at], box.x, box.y]);
  }
  return found;
}"""


def row_with(page: Page, text: str) -> Any:
    return page.locator(".diff-added td:nth-child(4)", has_text=text).first


def test_odd_characters_are_marks_and_nothing_else_moves(engine: Bench, sit_down: SitDown) -> None:
    page = sit_down(engine.approver)
    page.goto(approval_page(hostile_change(engine.tenant)))
    row = row_with(page, "if user.is_")
    expect(row.locator(".unseen").first).to_have_text("⟦U+202E⟧")
    expect(row.locator(".alike")).to_have_attribute("title", "CYRILLIC SMALL LETTER A")
    places = row.evaluate(POSITIONS)
    same_line = [place for place in places if place[2] == places[0][2]]
    assert [place[1] for place in same_line] == sorted(place[1] for place in same_line)
    assert "".join(place[0] for place in places).endswith("nimda ton⟦U+E0041⟧")


def test_words_from_right_to_left_stay_in_their_place(engine: Bench, sit_down: SitDown) -> None:
    page = sit_down(engine.approver)
    page.goto(approval_page(hostile_change(engine.tenant)))
    places = row_with(page, "order(").evaluate(POSITIONS)
    at = {sign: x for sign, x, _y in places}
    # Each word reads from right to left, and the first argument stays the first.
    assert at["\u05d0"] > at["\u05d1"] > at["\u05d2"]
    assert at["("] < at["\u05d2"] < at["1"] < at["\u05d4"] < at[")"]


def test_markup_of_a_change_is_text_and_only_plain_addresses_are_links(
    engine: Bench, sit_down: SitDown
) -> None:
    page = sit_down(engine.approver)
    page.goto(approval_page(hostile_change(engine.tenant)))
    expect(page.get_by_text("<script>alert(1)</script>")).to_be_visible()
    expect(page.get_by_text("{{ 7|add:1 }}{% now 'Y' %}&lt;b&gt; **bold**")).to_be_visible()
    links = page.locator("#parameters a").all()
    assert [link.get_attribute("href") for link in links] == ["https://kedge.example/a?b=1"]
    assert links[0].inner_text() == "https://kedge.example/a?b=1"
    assert links[0].get_attribute("rel") == "noopener noreferrer nofollow"
    assert page.locator('a[href^="javascript"], main b').count() == 0


def test_names_cannot_fake_a_second_line_and_the_page_warns(
    engine: Bench, sit_down: SitDown
) -> None:
    page = sit_down(engine.approver)
    page.goto(approval_page(hostile_change(engine.tenant)))
    expect(page.get_by_role("heading", level=1)).to_contain_text("bob⟦U+000A⟧Approved by Dee")
    assert "\u202e" not in page.title()
    expect(page.get_by_text("cannot be seen by themselves")).to_be_visible()
    expect(page.get_by_text("Read these places twice.")).to_be_visible()
    for name in ("\u202e", "\u2066", "\u200b", "\u2028", "\U000e0041"):
        assert name not in page.locator("body").inner_text()


@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize("view", ["", "?view=side"])
def test_pages_of_changes_are_faultless(
    engine: Bench, sit_down: SitDown, screen: str, view: str
) -> None:
    page = sit_down(engine.approver, **SCREENS[screen])
    for asked in (hostile_change(engine.tenant), asked_about(git_diff(60), tenant=engine.tenant)):
        page.goto(approval_page(asked) + view)
        faultless(page)
        page.goto(approval_page(asked) + "files/1/" + view)
        faultless(page)


def test_opening_a_file_is_counted_at_once(engine: Bench, sit_down: SitDown) -> None:
    asked = asked_about(git_diff(12, lines=40), tenant=engine.tenant)
    page = sit_down(engine.approver)
    page.goto(approval_page(asked))
    expect(page.locator("#coverage")).to_have_text("You opened 1 of 12 files.")
    page.locator("#file-5 > summary").click()
    expect(page.locator("#file-5 table")).to_be_visible()
    expect(page.locator("#coverage")).to_have_text("You opened 2 of 12 files.")
    assert "file/5/1" in {row.part for row in shown.opened(asked)}


def test_more_lines_of_a_long_file_come_in_place_and_as_a_page(
    engine: Bench, sit_down: SitDown
) -> None:
    asked = asked_about(git_diff(1, lines=250), tenant=engine.tenant)
    for scripts in (True, False):
        page = sit_down(engine.approver, java_script_enabled=scripts)
        page.goto(approval_page(asked))
        page.get_by_role("link", name="Show them").click()
        if scripts:
            expect(page.locator("#file-1 table")).to_have_count(2)
        else:
            expect(page.get_by_text("stand before these")).to_be_visible()
