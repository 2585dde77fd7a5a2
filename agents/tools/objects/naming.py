"""The name of an object, what is written on it, and the parameters read back from what left. Pure."""

import re
from collections.abc import Mapping
from typing import Any, Final

from agents.tools.objects.declared import Declared
from canonical.digests import sha256_hex
from canonical.json import dumps
from reconciliation.tools import Call

Json = Any

DOCUMENT: Final = "document"
VOID: Final = "void"
_END = r"(?![\s\S])"
NAME = f"[A-Za-z0-9][A-Za-z0-9._-]{{0,99}}{_END}"
MEDIA = f"[a-z]+/[a-z0-9.+-]{{1,60}}(; charset=utf-8)?{_END}"
TEXT = {"type": "string"}
DIGEST = {"type": "string", "pattern": f"^[0-9a-f]{{64}}{_END}"}
COUNT = {"type": "integer", "minimum": 0}


def _record(properties: Mapping[str, Json]) -> dict[str, Json]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": sorted(properties),
        "additionalProperties": False,
    }


PARAMETERS = _record(
    {
        "name": {"type": "string", "pattern": f"^{NAME}"},
        "media": {"type": "string", "pattern": f"^{MEDIA}"},
        "document": _record({"$blob": DIGEST, "size": COUNT}),
    }
)
RECEIPT = _record(
    {
        **dict.fromkeys(("action_id", "attempt_id", "key", "bucket", "object"), TEXT),
        "sha256": DIGEST,
        "size": COUNT,
    }
)


def name_of(declared: Declared, call: Call) -> str:
    """The name of the object: no two actions share one."""
    return f"{declared.folder}/{call.action_id}/{call.parameters['name']}"


def written_on(call: Call, kind: str, digest: str) -> dict[str, str]:
    """The metadata by which an object is known again."""
    return {
        "kedge-action": call.action_id,
        "kedge-attempt": call.attempt_id,
        "kedge-key": call.key,
        "kedge-kind": kind,
        "kedge-sha256": digest,
    }


def receipt(declared: Declared, call: Call, attempt_id: str) -> bytes:
    """The same from the answer of a put and from a look at the object."""
    document = call.parameters["document"]
    return dumps(
        {
            "action_id": call.action_id,
            "attempt_id": attempt_id,
            "key": call.key,
            "bucket": declared.bucket,
            "object": name_of(declared, call),
            "sha256": document["$blob"],
            "size": document["size"],
        }
    )


def wire_digest(declared: Declared, left: bytes, call: Call) -> str:
    """Digest of the parameters that what left says; of what left when it says none."""
    head, _, body = left.partition(b"\r\n\r\n")
    line, *lines = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value for name, value in (it.split(": ", 1) for it in lines)}
    place = f"/{declared.bucket}/{declared.folder}/{call.action_id}/"
    found = re.fullmatch(rf"PUT (?:/[^ ]*)?{re.escape(place)}([^/? ]+) HTTP/1\.1", line)
    digest = sha256_hex(body)
    own = {f"x-amz-meta-{name}": it for name, it in written_on(call, DOCUMENT, digest).items()}
    wanted = own | ({"if-none-match": "*"} if declared.honours_if_none_match else {})
    if found is None or any(headers.get(name) != value for name, value in wanted.items()):
        return sha256_hex(left)
    document = {"$blob": digest, "size": len(body)}
    media = headers.get("content-type", "")
    return sha256_hex(dumps({"name": found[1], "media": media, "document": document}))
