"""One incident of another product: the tests that show that it cannot happen here.

What each number stands for is said in docs/SECURITY.md. A path is below `tests/`. `why` says in a
line what of it cannot happen here, and for what reason.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Incident:
    """The tests that show it cannot happen, as `path::function`; what needs none, in a line."""

    tests: tuple[str, ...]
    why: str = ""


def tests_in(path: str, *names: str) -> tuple[str, ...]:
    """Several tests of one file."""
    return tuple(f"{path}::{name}" for name in names)
