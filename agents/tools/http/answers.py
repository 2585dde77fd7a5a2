"""What an answer means, and what is kept of it. Pure."""

import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import jsonschema

from agents.tools.errors import NotConfirmed
from agents.tools.http.declared import Declared, Json, Rule
from agents.tools.wire.sending import Answer
from approvals.rules import pointers
from canonical.digests import sha256_hex
from canonical.errors import CanonicalError
from canonical.json import dumps
from reconciliation.tools import Call

WORDS_KEPT = 500


def content(answer: Answer) -> Json:
    """The JSON of an answer, `pointers.ABSENT` when it is none."""
    try:
        return json.loads(answer.body, parse_constant=_refused)
    except (ValueError, RecursionError):
        return pointers.ABSENT


def fitting(rules: Iterable[Rule], answer: Answer) -> Rule | None:
    """The first rule that this answer fits."""
    said = content(answer)
    for rule in rules:
        if answer.status in rule.statuses and has(said, rule.where):
            return rule
    return None


def has(value: Json, where: Mapping[str, Json]) -> bool:
    """Whether a value has exactly these values at these pointers."""
    return all(_same(pointers.at(value, pointer), wanted) for pointer, wanted in where.items())


def words(answer: Answer, pointer: str = "") -> str:
    """What an answer says, short: the text at a pointer, or its beginning."""
    found = pointers.at(content(answer), pointer) if pointer else pointers.ABSENT
    text = found if isinstance(found, str) else answer.body.decode("utf-8", "replace")
    shown = "".join(sign if sign.isprintable() else " " for sign in text).strip()
    return f"{answer.status} {shown[:WORDS_KEPT]}".strip()


def retry_after(answer: Answer) -> float | None:
    """For how many seconds the service asks to be left alone (`Retry-After`); None: it does not."""
    said = answer.headers.get("retry-after", "").strip()
    if said.isdecimal():
        return float(said)
    try:
        # By its own clock when it says what that shows: ours may be another.
        now = parsedate_to_datetime(answer.headers.get("date", ""))
    except ValueError:
        now = datetime.now(UTC)
    try:
        return max(0.0, (parsedate_to_datetime(said) - now).total_seconds())
    except (ValueError, TypeError):
        return None


def receipt(
    declared: Declared, found: Json, call: Call, elsewhere: Mapping[str, str] | None = None
) -> bytes:
    """What is kept of the object that an answer holds; `elsewhere` are other places of its fields.

    Raises `NotConfirmed` for one that is not what the service should answer.
    """
    places = {name: field.at for name, field in declared.receipt.items()} | dict(elsewhere or {})
    kept = {name: pointers.at(found, place) for name, place in places.items()}
    for name, value in kept.items():
        if value is pointers.ABSENT:
            raise NotConfirmed(f"the answer has no {name}")
        try:
            jsonschema.validate(value, declared.receipt[name].schema)
        except jsonschema.ValidationError as error:
            raise NotConfirmed(f"the answer has another {name} than it should") from error
    try:
        written = dumps({"action_id": call.action_id, "key": call.key, "answer": kept})
    except CanonicalError as error:
        raise NotConfirmed(f"the answer cannot be kept: {error}") from error
    if len(written) > declared.limits.largest_receipt_bytes:
        raise NotConfirmed("the answer holds more than the receipt may")
    return written


def receipt_schema(declared: Declared) -> dict[str, Json]:
    """The JSON Schema of what `receipt` makes."""
    answer = {
        "type": "object",
        "properties": {name: dict(field.schema) for name, field in declared.receipt.items()},
        "required": sorted(declared.receipt),
        "additionalProperties": False,
    }
    text = {"type": "string"}
    return {
        "type": "object",
        "properties": {"action_id": text, "key": text, "answer": answer},
        "required": ["action_id", "answer", "key"],
        "additionalProperties": False,
    }


def version(answer: Answer, found: Json, where: str) -> str:
    """The version of an object: its ETag, what stands at a pointer, or else the digest of it."""
    if where == "etag":
        given = answer.headers.get("etag", "")
    else:
        given = pointers.at(found, where)
        given = "" if given is pointers.ABSENT else given if isinstance(given, str) else str(given)
    return given or f"sha256:{sha256_hex(dumps(found))}"


def _same(found: Json, wanted: Json) -> bool:
    if found is pointers.ABSENT:
        return False
    try:
        return dumps(found) == dumps(wanted)
    except CanonicalError:
        return False


def _refused(name: str) -> Json:
    raise ValueError(f"{name} is no JSON")
