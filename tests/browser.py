"""A real browser for tests: the fixtures `browser` and `page`, and `enter` to be signed in.

A test folder takes them with one line in its conftest: `from tests.browser import *`.

Playwright's synchronous API keeps an event loop running in the thread of the test. Two things
follow, and both are kept to the modules that use a browser, by the scope of the fixture:
Django would refuse its database there, which is what DJANGO_ALLOW_ASYNC_UNSAFE switches off
(one thread, one connection: nothing is shared); and `asyncio.run` cannot be called there.
"""

import os
import shutil
from collections.abc import Iterator
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.conf import settings
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, sync_playwright

from tenants.models import User

__all__ = ["browser", "enter", "new_page", "page", "violations"]

ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
NAMES = ("chromium", "chromium-browser", "google-chrome")

RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]

# Not UTC, so that a time printed in the browser's zone is found by a test.
OPTIONS: dict[str, Any] = {
    "viewport": {"width": 1280, "height": 800},
    "locale": "en-GB",
    "timezone_id": "Asia/Tokyo",
    "reduced_motion": "reduce",
}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One Chromium for a module: KEDGE_CHROMIUM, else the machine's own, else Playwright's."""
    with pytest.MonkeyPatch.context() as patch, sync_playwright() as playwright:
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
        path = os.environ.get("KEDGE_CHROMIUM") or next(
            filter(None, map(shutil.which, NAMES)), None
        )
        chromium = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield chromium
        chromium.close()


@pytest.fixture
def page(browser: Browser, live_server: Any) -> Iterator[Page]:
    """A page in a fresh context, with the live server as base address: `page.goto("/runs/")`.

    The test fails if the page broke its content policy or raised in a script, even when
    everything else went well.
    """
    with_page, complaints = new_page(browser, live_server.url)
    yield with_page
    with_page.context.close()
    assert complaints == []


def new_page(browser: Browser, base_url: str, **options: Any) -> tuple[Page, list[str]]:
    """A page in a context of its own (a second person, another theme), and its list of complaints.

    `options` are those of Playwright's `new_context` and win over `OPTIONS`. Close the page's
    context before the test ends.
    """
    context = browser.new_context(**{"base_url": base_url} | OPTIONS | options)
    complaints: list[str] = []
    page = context.new_page()
    page.on("console", lambda message: _complain(message, complaints))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    return page, complaints


def enter(context: BrowserContext, user: User, base_url: str) -> None:
    """Sign the person in, without the form: the session is made here, the cookie set there."""
    client = Client()
    client.force_login(user)
    name = settings.SESSION_COOKIE_NAME
    context.add_cookies([{"name": name, "value": client.cookies[name].value, "url": base_url}])


def violations(page: Page, within: str | None = None) -> list[str]:
    """What axe finds against WCAG 2.2 AA and good practice: one line per element.

    `within` is a CSS selector; without it the whole page is judged.
    """
    options = {"runOnly": {"type": "tag", "values": RULES}, "resultTypes": ["violations"]}
    found = Axe().run(page, context=within, options=options).response["violations"]
    return [
        f"{rule['id']}: {node['html'][:120]} {node['failureSummary']}"
        for rule in found
        for node in rule["nodes"]
    ]


def _complain(message: ConsoleMessage, complaints: list[str]) -> None:
    # An answer of 404 or none at all is an "error" here too, and often what a test is about.
    about_answers = message.text.startswith(("Failed to load resource", "htmx:"))
    if message.type == "error" and not about_answers:
        complaints.append(message.text)
