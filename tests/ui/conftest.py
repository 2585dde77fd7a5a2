"""The browser, for the tests of how pages look and behave."""

from tests.browser import *  # noqa: F403 - fixtures are taken by name
