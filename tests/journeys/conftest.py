"""A browser for each person, and the engine taking its turns in this process."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tenants.models import User
from tests.browser import browser, enter, new_page
from tests.doorbell import doorbell
from tests.engine.conftest import engine

__all__ = ["browser", "doorbell", "engine", "sit_down"]

SitDown = Callable[..., Page]


@pytest.fixture
def sit_down(browser: Browser, live_server: Any) -> Iterator[SitDown]:
    """`sit_down(user)`: a page of a browser of their own, signed in.

    The test fails if any page broke its content policy or raised in a script.
    """
    opened: list[tuple[Page, list[str]]] = []

    def open_page(user: User, **options: Any) -> Page:
        page, complaints = new_page(browser, live_server.url, **options)
        enter(page.context, user, live_server.url)
        opened.append((page, complaints))
        return page

    yield open_page
    for page, _complaints in opened:
        page.context.close()
    assert [complaint for _page, complaints in opened for complaint in complaints] == []
