"""Every named digest has its bytes in the file, or is marked as left out; no byte is changed. Pure."""

import base64
import binascii
from collections.abc import Iterator
from typing import Any

from canonical import digests
from reconciliation.evidence.findings import Findings
from reconciliation.evidence.members import Document

Json = Any


def check(document: Document, findings: Findings) -> None:
    """Recompute each digest. What was left out is said, not held against the file."""
    contents, named = document["contents"], dict(_named(document))
    whole = 0
    for digest in contents:
        if digest not in named:
            findings.wrong(f"/contents/{digest}", "These bytes are named by nothing in the file.")
        elif contents[digest] is not None:
            whole += _is_what_it_says(digest, contents[digest], findings)
    for digest, member in named.items():
        if digest not in contents:
            findings.wrong(f"/contents/{digest}", f"The bytes that {member} names are missing.")
    left_out = sum(value is None for value in contents.values())
    findings.proven.append(f"{whole} payloads are byte for byte what their digests say.")
    if left_out:
        findings.open.append(
            f"{left_out} payloads were left out of this copy: only their digests are proven."
        )


def bytes_of(document: Document, digest: str) -> bytes | None:
    """The bytes behind a digest; None when they were left out or cannot be read."""
    text = document["contents"].get(digest)
    try:
        return None if text is None else base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError, TypeError):
        return None


def _named(document: Document) -> Iterator[tuple[str, str]]:
    yield from _of_run(document["run"])
    for number, action in enumerate(document["actions"]):
        here = f"/actions/{number}"
        yield action["parameters"], f"{here}/parameters"
        for n, asked in enumerate(action["requests"]):
            yield asked["diff"], f"{here}/requests/{n}/diff"
            yield asked["parameters"], f"{here}/requests/{n}/parameters"
            if asked.get("second_look"):  # files of before have none
                yield asked["second_look"]["remarks"], f"{here}/requests/{n}/second_look/remarks"
        for n, attempt in enumerate(action["attempts"]):
            for k, receipt in enumerate(attempt["receipts"]):
                yield receipt["content"], f"{here}/attempts/{n}/receipts/{k}/content"
    for number, case in enumerate(document["cases"]):
        for n, edit in enumerate(case.get("edits", [])):
            yield edit["state"], f"/cases/{number}/edits/{n}/state"
            yield edit["diff"], f"/cases/{number}/edits/{n}/diff"


def _of_run(run: dict[str, Json]) -> Iterator[tuple[str, str]]:
    yield run["input"], "/run/input"
    yield run["combo"], "/run/combo"
    for number, move in enumerate(run.get("moved", [])):
        for end in ("from", "to"):
            yield move[end], f"/run/moved/{number}/{end}"


def _is_what_it_says(digest: str, text: Json, findings: Findings) -> bool:
    member = f"/contents/{digest}"
    try:
        content = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError, TypeError):
        findings.wrong(member, "This is not base64.")
        return False
    if base64.b64encode(content).decode() != text or digests.sha256_hex(content) != digest:
        findings.wrong(member, "These bytes are not what their digest says.")
        return False
    return True
