"""Every incident is covered, by tests there are, and said in words in the documents."""

import importlib
import re
from operator import attrgetter
from pathlib import Path

import pytest

from tests.incidents import people_and_bytes, permission, releasing

ROOT = Path(__file__).resolve().parent.parent.parent
ROOMS = (permission.INCIDENTS, people_and_bytes.INCIDENTS, releasing.INCIDENTS)
INCIDENTS = {number: room[number] for room in ROOMS for number in room}
NUMBERS = sorted(INCIDENTS)


def test_each_incident_is_there_once() -> None:
    assert sum(len(room) for room in ROOMS) == len(INCIDENTS)
    assert set(NUMBERS) >= {f"A{number:02}" for number in range(1, 58)}


@pytest.mark.parametrize("number", NUMBERS)
def test_an_incident_has_tests_that_can_be_collected(number: str) -> None:
    incident = INCIDENTS[number]
    assert incident.tests
    for test in incident.tests:
        path, *names = test.split("::")
        module = importlib.import_module(f"tests.{path.removesuffix('.py').replace('/', '.')}")
        assert names[-1].startswith("test_"), test
        assert callable(attrgetter(".".join(names))(module)), test


def test_the_document_says_what_each_number_stands_for() -> None:
    text = (ROOT / "docs" / "SECURITY.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| (A\d\d) \| .{20,120} \|$", text, re.MULTILINE) == NUMBERS


def test_an_incident_that_a_test_names_is_in_its_line_of_the_table() -> None:
    for path in sorted(Path(__file__).parent.glob("test_*.py")):
        text = path.read_text(encoding="utf-8")
        for name, said in re.findall(r'def (test_\w+)\([^"]*"""((?:A\d\d(?:, )?)+):', text):
            for number in said.split(", "):
                assert f"incidents/{path.name}::{name}" in INCIDENTS[number].tests, name
