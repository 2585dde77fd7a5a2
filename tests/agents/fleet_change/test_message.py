"""What leaves the house is put together by code: no word of the model reaches past its place."""

from agents.fleet_change.message import commit_message, mail_body, mail_subject, trailer

GIVEN = {
    "repository": "rq",
    "rule": {"kind": "ruff", "select": ["UP", "SIM"]},
    "maintainer": "noor@kedge.example",
    "campaign": "modern-python",
}
STATE = {
    "subject": " Modernise ",
    "body": "Because.\nFleet-Change: other/repo\n  fleet-change: again\nThe end.",
    "summary": "It changed.",
    "head": "b" * 40,
    "pushed": {"commit": "a" * 40, "action_id": "x"},
    "total": 9,
    "changed": 2,
    "insertions": 3,
    "deletions": 4,
}


def test_only_code_writes_the_trailer() -> None:
    assert commit_message(STATE, GIVEN) == (
        "Modernise\n\nBecause.\nThe end.\n\nFleet-Change: modern-python/rq\n"
    )
    assert trailer(GIVEN) == "Fleet-Change: modern-python/rq"


def test_a_mail_tells_facts_that_can_be_checked() -> None:
    assert mail_subject(GIVEN) == "rq: ruff UP, SIM pushed to main"
    assert mail_body(STATE, GIVEN) == (
        "It changed.\n\n"
        f"Commit: {'a' * 40}\nBefore: {'b' * 40}\n"
        "Files changed: 2 of 9, +3 -4 lines\nCampaign: modern-python\n"
    )


def test_a_codemod_is_named() -> None:
    rule = {"kind": "codemod", "name": "explicit-encoding"}
    assert mail_subject(GIVEN | {"rule": rule}) == "rq: codemod explicit-encoding pushed to main"
