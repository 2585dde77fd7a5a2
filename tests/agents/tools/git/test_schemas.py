"""Only names that cannot be mistaken for an option, an address or two refs pass the schema."""

import jsonschema
import pytest

from agents.tools.git.schemas import PARAMETERS
from reconciliation.tools import Json

GOOD: dict[str, Json] = {
    "remote": "ship",
    "branch": "main",
    "expected": "a" * 40,
    "commit": "b" * 40,
    "change": {"files": 1, "lines": 2, "deletions": 0},
    "pack": {"$blob": "c" * 64, "size": 3},
}
VALID = jsonschema.Draft202012Validator(PARAMETERS)


@pytest.mark.parametrize("branch", ["main", "release/1.x", "a-b_c", "1"])
def test_plain_branches_pass(branch: str) -> None:
    VALID.validate(GOOD | {"branch": branch})


@pytest.mark.parametrize(
    "branch",
    [
        *("", "-f", "/a", "a/", "a//b", "a..b", "a.lock", "a.lock/b", "a.", ".a", "a/.b"),
        *("a b", "a:b", "a\nb", "main\n", "+a", "a@{1}", "a^", "a~1", "a*", "ä", "x" * 201),
    ],
)
def test_other_branches_do_not(branch: str) -> None:
    assert not VALID.is_valid(GOOD | {"branch": branch})


@pytest.mark.parametrize(
    "odd",
    [
        {"remote": "git://example.org/x"},
        {"remote": "--upload-pack=x"},
        {"remote": "../x"},
        {"commit": "b" * 40 + "\n"},
        {"commit": ""},
        {"commit": "HEAD"},
        {"expected": "B" * 40},
        {"change": {"files": 1, "lines": 2}},
        {"change": {"files": -1, "lines": 2, "deletions": 0}},
        {"pack": {"$blob": "c" * 64}},
        {"force": True},
    ],
)
def test_odd_parameters_do_not_pass(odd: dict[str, Json]) -> None:
    VALID.validate(GOOD)
    assert not VALID.is_valid(GOOD | odd)
