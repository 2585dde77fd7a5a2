"""The words that leave the house: the commit message and the mail, put together by code alone."""

from collections.abc import Mapping
from typing import Any

Json = Any

TRAILER = "Fleet-Change"


def trailer(given: Mapping[str, Json]) -> str:
    """The line by which a commit of this campaign is known on the remote."""
    return f"{TRAILER}: {business_key(given)}"


def business_key(given: Mapping[str, Json]) -> str:
    """A campaign changes a repository once."""
    return f"{given['campaign']}/{given['repository']}"


def commit_message(state: Mapping[str, Json], given: Mapping[str, Json]) -> str:
    """Subject, body and the trailer, which no word of the model can forge."""
    body = [line for line in state["body"].splitlines() if not _is_trailer(line)]
    return "\n".join([state["subject"].strip(), "", *body, "", trailer(given), ""])


def mail_subject(given: Mapping[str, Json]) -> str:
    """Says what happened and where; no word of the model's is in it."""
    return f"{given['repository']}: {rule_in_words(given['rule'])} pushed to main"


def mail_body(state: Mapping[str, Json], given: Mapping[str, Json]) -> str:
    """The summary, then the facts that the maintainer can check."""
    return (
        f"{state['summary'].strip()}\n\n"
        f"Commit: {state['pushed']['commit']}\n"
        f"Before: {state['head']}\n"
        f"Files changed: {state['changed']} of {state['total']}, "
        f"+{state['insertions']} -{state['deletions']} lines\n"
        f"Campaign: {given['campaign']}\n"
    )


def rule_in_words(rule: Mapping[str, Json]) -> str:
    """`ruff UP, SIM` or `codemod explicit-encoding`."""
    if rule["kind"] == "ruff":
        return f"ruff {', '.join(rule['select'])}"
    return f"codemod {rule['name']}"


def _is_trailer(line: str) -> bool:
    return line.strip().lower().startswith(TRAILER.lower())
