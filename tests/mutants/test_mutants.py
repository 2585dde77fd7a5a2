"""Every mutant can be made, and the hunt tells a check that is tested from one that is not."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.mutants import copies, hunt
from tests.mutants.catalogue import MUTANTS
from tests.mutants.hunt import KILLED, SURVIVED

NOTICED = next(each for each in MUTANTS if each.name == "lossy_number")
HARMLESS = replace(
    NOTICED, name="harmless", old="JSON (RFC 8785), strict", new="JSON, RFC 8785, strict"
)
SETUP = "import pytest\n\n\n@pytest.fixture(autouse=True)\ndef broken() -> None:\n    raise ValueError\n"
NOT_BEGUN = replace(
    NOTICED, name="not_begun", path="tests/canonical/test_json.py", old="import pytest\n", new=SETUP
)


def test_each_mutant_takes_out_what_stands_once_and_names_a_test_that_is_there() -> None:
    assert not [why for each in MUTANTS if (why := each.why_not(copies.ROOT))]


def test_no_two_mutants_have_one_name() -> None:
    names = [each.name for each in MUTANTS]
    assert len(set(names)) == len(names)


def test_a_check_whose_removal_no_test_notices_is_reported(tmp_path: Path) -> None:
    said: list[str] = []
    found = hunt.hunt([NOTICED, HARMLESS, NOT_BEGUN], lanes=1, say=said.append)
    assert [each.became for each in found] == [KILLED, SURVIVED, SURVIVED]
    assert "ERROR" in found[2].said
    figures = hunt.report(found, seconds=1, out=tmp_path / "mutants.json")
    assert (figures["killed"], figures["survived"]) == (1, ["harmless", "not_begun"])
    assert json.loads((tmp_path / "mutants.json").read_text()) == figures
    assert any("harmless survived" in words for words in said)


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"old": "no line of this file"}, "stands 0 times"),
        ({"path": "canonical/nowhere.py"}, "is not there"),
        ({"test": f"{NOTICED.test}_nowhere"}, "there is no"),
        (
            {
                "path": "checkpoints/migrations/0007_commit.sql",
                "old": "NEW.digest IS DISTINCT FROM sha256(NEW.header)",
            },
            "defined anew in 0016_repins.sql",
        ),
    ],
)
def test_a_mutant_that_fits_no_longer_is_refused_by_name(changed: dict[str, str], why: str) -> None:
    with pytest.raises(SystemExit, match=why):
        hunt.hunt([replace(NOTICED, **changed)], lanes=1, say=lambda _: None)
