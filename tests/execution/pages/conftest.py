"""The browser, for the tests of how these pages look and move."""

from tests.browser import browser, page

__all__ = ["browser", "page"]
