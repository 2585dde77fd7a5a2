"""What the shell does in a browser: theme, polls, menus, forms, and all of it without scripts."""

from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import new_page

pytestmark = pytest.mark.urls("tests.ui.urls")

HIDE = """() => {
  Object.defineProperty(document, "hidden", { get: () => true, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""
SHOW = """() => {
  delete document.hidden;
  document.dispatchEvent(new Event("visibilitychange"));
}"""


@pytest.fixture
def shell(page: Page) -> Page:
    page.goto("/gallery/")
    return page


def paper(page: Page) -> str:
    return str(page.evaluate("getComputedStyle(document.documentElement).backgroundColor"))


def test_chosen_theme_is_there_on_the_next_page_before_any_script(shell: Page) -> None:
    light = paper(shell)
    shell.get_by_role("button", name="Dark").click()
    assert paper(shell) != light
    answer = shell.request.get("/signed-out/")
    assert 'data-theme="dark"' in answer.text()


def test_theme_can_follow_the_system_again(shell: Page) -> None:
    shell.get_by_role("button", name="Dark").click()
    shell.get_by_role("button", name="As the system").click()
    assert shell.context.cookies()[0]["name"] != "theme"
    light = paper(shell)
    shell.emulate_media(color_scheme="dark")
    assert paper(shell) != light


def test_unknown_theme_in_the_cookie_is_ignored(page: Page, live_server: Any) -> None:
    page.context.add_cookies([{"name": "theme", "value": '"><b>', "url": live_server.url}])
    page.goto("/gallery/")
    assert page.locator("html").get_attribute("data-theme") is None


def test_poll_carries_the_form_token(shell: Page) -> None:
    expect(shell.locator("#polled")).to_have_attribute("data-token", "True", timeout=5000)


def test_hidden_page_asks_nothing_and_catches_up_when_shown(shell: Page) -> None:
    expect(shell.locator("#polled")).to_have_attribute("data-token", "True")
    shell.evaluate(HIDE)
    asked: list[str] = []
    shell.on("request", lambda request: asked.append(request.url))
    shell.wait_for_function(  # two periods of the poll pass
        "start => performance.now() - start > 2100", arg=shell.evaluate("performance.now()")
    )
    assert asked == []
    with shell.expect_response("**/poll/?seldom", timeout=5000):
        shell.evaluate(SHOW)


def test_poll_does_not_take_marked_text_away(shell: Page) -> None:
    expect(shell.locator("#polled")).to_have_attribute("data-token", "True")
    shell.evaluate("getSelection().selectAllChildren(document.getElementById('polled'))")
    before = shell.locator("#polled").text_content()
    with shell.expect_response("**/poll/"):
        pass
    with shell.expect_response("**/poll/"):
        pass
    assert shell.locator("#polled").text_content() == before


def test_page_says_when_the_server_does_not_answer(shell: Page) -> None:
    notice = shell.get_by_text("Kedge does not answer.")
    expect(notice).to_be_hidden()
    shell.context.route("**/poll/", lambda route: route.abort())
    expect(notice).to_be_visible(timeout=5000)
    shell.context.unroute("**/poll/")
    expect(notice).to_be_hidden(timeout=5000)


def test_form_pressed_twice_is_sent_once(shell: Page) -> None:
    shell.evaluate("""() => {
      window.sent = [];
      window.addEventListener("submit", (event) => {
        window.sent.push(!event.defaultPrevented);
        event.preventDefault();
      });
    }""")
    shell.get_by_label("Reason").fill("seen and checked")
    shell.get_by_role("button", name="Reject").dblclick()
    assert shell.evaluate("window.sent") == [True, False]
    expect(shell.get_by_role("button", name="Reject")).to_have_attribute("aria-busy", "true")


def test_enter_in_the_reason_decides_nothing(shell: Page) -> None:
    reason = shell.get_by_label("Reason")
    reason.fill("first line")
    reason.press("Enter")
    assert shell.url.endswith("/gallery/")
    expect(reason).to_have_value("first line\n")


def test_menu_closes_on_escape_and_gives_the_focus_back(shell: Page) -> None:
    summary = shell.locator("summary", has_text="Signed in:")
    summary.press("Enter")
    expect(shell.get_by_role("button", name="Sign out")).to_be_visible()
    shell.keyboard.press("Tab")
    shell.keyboard.press("Escape")
    expect(shell.get_by_role("button", name="Sign out")).to_be_hidden()
    expect(summary).to_be_focused()


def test_closed_file_of_a_diff_stays_closed_after_a_reload(shell: Page) -> None:
    file = shell.locator("details.diff-file", has_text="release.yml")
    file.locator("summary").click()
    shell.reload()
    expect(file).not_to_have_attribute("open", "")


def test_lines_of_a_file_come_when_it_is_opened(shell: Page) -> None:
    file = shell.locator("details.diff-file").last
    file.locator("summary").click()
    expect(file.get_by_text("Retry(0, read=False)").first).to_be_visible()


def test_whole_id_can_be_copied(shell: Page) -> None:
    shell.context.grant_permissions(["clipboard-read", "clipboard-write"])
    shell.get_by_role("button", name="Copy run id").click()
    assert shell.evaluate("navigator.clipboard.readText()").startswith("019a2f4c-7b1e-7c3d")


def test_first_tab_leads_past_the_bar(shell: Page) -> None:
    shell.keyboard.press("Tab")
    skip = shell.get_by_role("link", name="Skip to the content")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport()
    skip.press("Enter")
    expect(shell.locator("#content")).to_be_focused()


def test_bar_names_the_page_the_tenant_and_who_waits(shell: Page) -> None:
    main = shell.get_by_role("navigation", name="Main")
    here = main.locator("[aria-current=page]")
    expect(here).to_have_text("Needs a person3")
    expect(main.get_by_role("link", name="Runs")).to_have_attribute("href", "/t/acme/runs/")
    expect(main.get_by_role("link", name="System")).to_have_attribute("href", "/system/")
    stop = shell.get_by_role("link", name="Stop effects")
    expect(stop).to_have_attribute("href", "/t/acme/stop/")


def test_every_verb_works_without_scripts(browser: Browser, live_server: Any) -> None:
    page, complaints = new_page(browser, live_server.url, java_script_enabled=False)
    page.goto("/gallery/")
    expect(page.get_by_role("button", name="Copy run id")).to_be_hidden()
    expect(page.get_by_role("group", name="Theme")).to_be_hidden()
    page.locator("summary", has_text="Tenant:").click()
    expect(page.get_by_role("link", name="Harbour & Sons <GmbH>")).to_be_visible()
    page.get_by_label("Search by run id").fill("8812")
    page.get_by_label("Search by run id").press("Enter")
    expect(page).to_have_url("/t/acme/search/?q=8812")
    page.context.close()
    assert complaints == []
