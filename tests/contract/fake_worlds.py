"""The worlds of the fakes: their requests are counted where they arrive."""

from pathlib import Path

from reconciliation.tools import Call, Json
from tests.contract.fakes import FakeKeyed, FakeLookUp, FakeNothing, FakeVoid
from tests.contract.outside import ALWAYS
from tests.contract.worlds import make_call


class FakeWorld:
    """One fake and its folder."""

    def __init__(self, tool: FakeNothing) -> None:
        self.tool = tool
        self._outside = tool.outside

    def call(self) -> Call:
        return make_call({"target": "Ann", "amount": 1250})

    def odd_parameters(self) -> list[dict[str, Json]]:
        return [
            {"target": "\u202e'; drop", "amount": 0},
            {"target": "é" * 200, "amount": 2**53 - 1},
        ]

    def effects(self, key: str) -> int:
        return self._outside.effects(key)

    def seen_outside(self) -> object:
        tables = ("effect", "place", "remembered", "version")
        return [self._outside.rows(f"select * from {table}") for table in tables]

    def requests(self) -> int:
        return self._outside.requests()

    def refuse(self) -> None:
        self._outside.set_faults(refuse=ALWAYS)

    def lose_answers(self) -> None:
        self._outside.set_faults(drop_answer=ALWAYS)

    def hang(self) -> None:
        self._outside.set_faults(delay_answer_until=str(self._outside.folder / "never"))

    def close(self) -> None: ...


def nothing(folder: Path) -> FakeWorld:
    return FakeWorld(FakeNothing(folder))


def look_up(folder: Path) -> FakeWorld:
    return FakeWorld(FakeLookUp(folder))


def keyed(folder: Path) -> FakeWorld:
    return FakeWorld(FakeKeyed(folder))


def keyed_without_lock(folder: Path) -> FakeWorld:
    return FakeWorld(FakeKeyed(folder, locks_in_flight=False))


def void(folder: Path) -> FakeWorld:
    return FakeWorld(FakeVoid(folder))
