"""A piece of evidence with something in every member of the format, and what forgers do to it."""

import base64
import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from canonical import digests
from execution.plans import computing, drafting, ordering
from reconciliation.evidence import numbers
from reconciliation.evidence.findings import Findings
from reconciliation.evidence.members import LACKING, sign
from reconciliation.evidence.verifying import SCHEMA, verify
from tenants.signing import Believed, SigningKey
from tests.engine.turns import Bench

Json = Any
KEY = SigningKey.of(base64.b64encode(b"evidence-of-the-tests-0123456789").decode())
BELIEVED = Believed.of([KEY.public])
AT = "2026-01-01T00:00:00.000000+00:00"
LATER = "2026-01-01T00:00:01.500000+00:00"


def settled_run(engine: Bench) -> Json:
    """A run that wrote one thing with a yes."""
    run = engine.start(tool="fake.void", what="a")
    engine.turn()
    engine.decide(run)
    engine.turn()
    run.refresh_from_db()
    return run


def planned_run(engine: Bench) -> Json:
    """The same, and while it waited somebody started a plan with it, which did nothing yet."""
    run = engine.start(tool="fake.void", what="a")
    engine.turn()
    draft = drafting.Draft("cancel", "all of it", "one run", [drafting.Target(run.pk)], {}, 10)
    made = drafting.draft(engine.tenant, draft, user=engine.starter)
    computing.compute(made.pk)
    made.refresh_from_db()
    ordering.start(made.pk, ordering.Order(made.digest), user=engine.starter)
    engine.decide(run)
    engine.turn()
    run.refresh_from_db()
    return run


def with_all_members(document: Json) -> Json:
    """What a quiet run has none of is added, and all is signed anew."""
    whole = copy.deepcopy(document)
    (action,) = whole["actions"]
    (asked,) = action["requests"]
    person = {"id": 99, "name": "Eve"}
    diff = base64.b64decode(whole["contents"][asked["diff"]])
    part = {"part": "text/1", "from": 0, "to": 3, "digest": digests.sha256_hex(diff[:3]), "at": AT}
    asked["opened"] = [{"person": person, **part}]
    asked["handed_over"] = [
        {"person": person, "to": person, "note": "n", "at": AT, "taken_back_at": None}
    ]
    asked["decisions"][0]["proved"] = {"by": "password", "at": AT}
    asked["second_look"] = _second_look(asked["hash"], person)
    whole["contents"][digests.sha256_hex(b"[1]")] = base64.b64encode(b"[1]").decode()
    action["attempts"][0]["look_ups"] = [{"answer": "found", "detail": "seen", "at": AT}]
    verdict = {"person": person, "verdict": "happened", "reason": "r", "evidence": "e", "at": AT}
    verdict["taken_back"] = {"person": person, "reason": "r", "at": AT}
    verdict |= {"agreed_by": person, "detail": {"seq": 1}}
    about = {"id": action["id"], "kind": "outcome_unknown", "sentence": "?", "action": action["id"]}
    when = dict.fromkeys(("opened_at", "decided_at", "reopened_at", "closed_at"), AT)
    more = {"facts": {"tool": "t"}, "closed_because": "c", "desk": desk(person)}
    whole["cases"] = [{**about, **when, **more, "verdicts": [verdict]}]
    whole["plans"][0]["seconded_by"] = person
    seq, digest = whole["checkpoints"][1]["seq"], whole["checkpoints"][1]["digest"]
    fork = {"run": action["id"], "seq": seq, "checkpoint": digest}
    whole["forks"] = [{**fork, "reason": "r", "by": "Eve", "at": AT}]
    whole["recoveries"] = [
        recovery(1, taken_over_at=AT, ended="interrupted", ended_at=LATER),
        recovery(2, taken_over_at=AT, new_boundary_at=LATER, ended="recovered", ended_at=LATER),
    ]
    whole["events"] += [interruption(1), interruption(2)]
    whole["numbers"] = numbers.of(whole)
    return signed(whole)


def desk(person: Json) -> Json:
    """What people did at a case."""
    ended = {"ended": "released", "ended_at": AT}
    claim = {"person": person, "handed_by": person, "taken_from": person, "since": AT, **ended}
    wait = {"person": person, "for": "f", "why": "w", "at": AT, "ended_by": person, "ended_at": AT}
    said = {"verdict": "write_off", "reason": "r", "evidence": "e", "why_ended": "w"}
    return {
        "claims": [claim],
        "notes": [{"person": person, "text": "t", "at": AT}],
        "outside_waits": [wait],
        "proposals": [{"person": person, **said, "at": AT, **ended, "ended_by": person}],
    }


def recovery(fence: int, **columns: Json) -> Json:
    """One that is under way, but for these members."""
    times = dict.fromkeys(("taken_over_at", "new_boundary_at", "ended_at"))
    return {"why": "killed", "fence": fence, "noticed_at": AT, "ended": "", **times, **columns}


def interruption(fence: int) -> Json:
    """The event of the same interruption."""
    detail = {"fence": fence, "why": "killed", "head": 1}
    return {"at": AT, "what": "interrupted", "actor": "sweeper", "detail": detail}


def of_old(document: Json, form: str) -> Json:
    """The same as an older version wrote it."""
    left = {name: value for name, value in document.items() if name not in LACKING[form]}
    return signed(left | {"format": form})


def _second_look(hash_: str, person: Json) -> Json:
    of = {name: digests.sha256_hex(name.encode()) for name in ("shown", "prompt", "combo")}
    tokens = {"prompt": 100, "completion": 10}
    said = {"outcome": "look_here", "remarks": digests.sha256_hex(b"[1]"), "count": 1, "why": ""}
    asked = {"hash": hash_, "model": "m", "tokens": tokens, "left_out": {"lines": 3}, "at": AT}
    return {**of, **said, **asked, "seen": [{"person": person, "at": AT}]}


def signed(document: Json) -> Json:
    """The document with a signature of the tests' key: what the installation itself could write."""
    made = {**document["made"], "public_key": KEY.public.text}
    document = {**document, "made": made}
    return {**document, "signature": sign(document, KEY)}


def verified(document: Json, believed: Believed = BELIEVED) -> Findings:
    return verify(json.dumps(document).encode(), believed)


def leaves(value: Json, pointer: str = "") -> Iterator[str]:
    """Every place of a document, each after the places inside it."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for name, member in items:
        here = f"{pointer}/{name}"
        if isinstance(member, dict | list) and member:
            yield from leaves(member, here)
        yield here


def format_members() -> set[str]:
    """Every member that the published schema names, as a pointer with "*" for any item."""
    return set(_of(json.loads(SCHEMA.read_text(encoding="utf-8")), {}, ""))


def _of(schema: Json, definitions: Json, pointer: str) -> Iterator[str]:
    definitions = schema.get("$defs", definitions)
    if "$ref" in schema:
        schema = definitions[Path(schema["$ref"]).name]
    for choice in schema.get("anyOf", []):
        yield from _of(choice, definitions, pointer)
    for name, member in schema.get("properties", {}).items():
        yield f"{pointer}/{name}"
        yield from _of(member, definitions, f"{pointer}/{name}")
    if "items" in schema:
        yield from _of(schema["items"], definitions, f"{pointer}/*")


def general(pointer: str) -> str:
    """The pointer of an item as the schema's."""
    return "/".join("*" if step.isdecimal() else step for step in pointer.split("/"))


def changed(document: Json, pointer: str) -> Json:
    """The document with one thing there that is another one."""
    forged = copy.deepcopy(document)
    holder, name = _holder(forged, pointer)
    holder[name] = _other(holder[name])
    return forged


def dropped(document: Json, pointer: str) -> Json:
    """The document without what stood there."""
    forged = copy.deepcopy(document)
    holder, name = _holder(forged, pointer)
    del holder[name]
    return forged


def _holder(document: Json, pointer: str) -> tuple[Json, Any]:
    *steps, last = pointer.split("/")[1:]
    for step in steps:
        document = document[int(step) if isinstance(document, list) else step]
    return document, int(last) if isinstance(document, list) else last


def _other(value: Json) -> Json:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, str) and value:
        # One byte, at a place where digits stay digits: most forms still hold.
        middle = len(value) // 2
        return value[:middle] + ("1" if value[middle] != "1" else "2") + value[middle + 1 :]
    if isinstance(value, list):
        return value[1:] if value else [0]
    if isinstance(value, dict):
        return dict(list(value.items())[1:]) if value else {"x": 1}
    return "x"
