"""The tools under the contract, each with its world. A new tool is put under it here."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.contract import fake_worlds, http_worlds, object_worlds, real_worlds, sql_worlds
from tests.contract.worlds import World

VOID, LOOK_UP, KEYED, NOTHING = "void", "look_up", "keyed", "nothing"
# Each tool with what it declares in the capability table.
WORLDS: dict[str, tuple[Callable[[Path], World], frozenset[str]]] = {
    "git_push": (real_worlds.git_push, frozenset({VOID, LOOK_UP})),
    "send_mail": (real_worlds.send_mail, frozenset({NOTHING})),
    "http_void": (http_worlds.kinto_refund, frozenset({VOID, LOOK_UP})),
    "http_look_up": (http_worlds.kinto_note, frozenset({LOOK_UP})),
    "http_versioned": (http_worlds.settle_ticket, frozenset({LOOK_UP})),
    "http_keyed": (http_worlds.restate_refund, frozenset({KEYED})),
    "sql": (sql_worlds.book_refund, frozenset({VOID, LOOK_UP})),
    "objects": (object_worlds.seaweed, frozenset({VOID, LOOK_UP})),
    "fake_void": (fake_worlds.void, frozenset({VOID, LOOK_UP})),
    "fake_keyed": (fake_worlds.keyed, frozenset({KEYED})),
    "fake_keyed_without_lock": (fake_worlds.keyed_without_lock, frozenset({KEYED})),
    "fake_look_up": (fake_worlds.look_up, frozenset({LOOK_UP})),
    "fake_nothing": (fake_worlds.nothing, frozenset({NOTHING})),
}


def pytest_generate_tests(metafunc: Any) -> None:
    """Run each test with every tool that can do what its class names in `can`."""
    if "world" in metafunc.fixturenames:
        can = getattr(metafunc.cls, "can", "")
        names = [name for name, (_, declared) in WORLDS.items() if not can or can in declared]
        metafunc.parametrize("world", names, indirect=True)


@pytest.fixture
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    made = WORLDS[request.param][0](tmp_path)
    yield made
    made.close()
