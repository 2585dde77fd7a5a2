"""The bytes of a request, made from the parameters alone, and the parameters read back from them."""

import json
from collections.abc import Iterable, Mapping
from urllib.parse import parse_qsl, urlencode

from agents.tools import templates
from agents.tools.errors import BadProposal
from agents.tools.http.declared import Declared, Json, Shape
from agents.tools.wire.sending import Request
from canonical.digests import sha256_hex
from canonical.errors import CanonicalError
from canonical.json import dumps
from reconciliation.tools import Call

# Added by whoever sends; they say nothing about the effect.
OF_THE_WIRE = {"host", "accept-encoding", "connection", "content-length"}

Pairs = list[tuple[str, Json]]


def values_of(call: Call) -> dict[str, Json]:
    """What can stand at the places of a template."""
    given = {"$action_id": call.action_id, "$attempt_id": call.attempt_id, "$key": call.key}
    return {**call.parameters, **given}


def request(shape: Shape, values: Mapping[str, Json], base: str = "") -> Request:
    """The request of this shape. Raises `BadProposal`."""
    headers = {
        name: _header(templates.filled_text(text, values)) for name, text in shape.headers.items()
    }
    target = base + templates.filled_path(shape.path, values)
    return Request(shape.method, target, tuple(headers.items()), _body(shape, values))


def wire_digest(declared: Declared, left: bytes, call: Call, base: str, secret: str) -> str:
    """Digest of the parameters that what left says; of all that left when it says none.

    `secret` is the name of the header that carries the credential, which is no part of either.
    """
    parts = _taken_apart(left, {*OF_THE_WIRE, secret.lower()})
    read = _read_back(declared, parts, base)
    own = values_of(call)
    if read is not None and all(own[name] == read.pop(name, own[name]) for name in templates.GIVEN):
        return sha256_hex(dumps(read))
    line, headers, body = parts
    return sha256_hex(dumps([line, headers, body.hex()]))


def _body(shape: Shape, values: Mapping[str, Json]) -> bytes:
    if not shape.body_kind:
        return b""
    filled = templates.filled(shape.body, values)
    if shape.body_kind == "form":
        fields = [(name, templates.as_text(value)) for name, value in filled.items()]
        return urlencode(fields).encode("ascii")
    try:
        return dumps(filled)
    except CanonicalError as error:
        raise BadProposal(f"the body cannot be written: {error}") from error


def _header(text: str) -> str:
    if not text.isascii() or not text.isprintable() or text != text.strip():
        raise BadProposal("a header can hold only printable ASCII, without blanks at its ends")
    return text


def _taken_apart(left: bytes, without: set[str]) -> tuple[str, list[list[str]], bytes]:
    head, _, body = left.partition(b"\r\n\r\n")
    line, *lines = head.decode("latin-1").split("\r\n")
    pairs = [it.split(": ", 1) for it in lines]
    return line, sorted(pair for pair in pairs if pair[0].lower() not in without), body


def _read_back(
    declared: Declared, parts: tuple[str, list[list[str]], bytes], base: str
) -> dict[str, Json] | None:
    """The values of all places; None when what left is not a request of this declaration."""
    shape, (line, headers, body) = declared.effect.shape, parts
    if [name for name, _ in headers] != sorted(shape.headers):
        return None
    prefix, end = f"{shape.method} {base}", " HTTP/1.1"
    if not line.startswith(prefix) or not line.endswith(end):
        return None
    target = line.removeprefix(prefix).removesuffix(end)
    texts = [templates.read_text(shape.path, target, quoted=True)]
    texts += [templates.read_text(shape.headers[name], value) for name, value in headers]
    typed = [None if found is None else _typed(declared, found) for found in texts]
    return _agreed([*typed, _read_body(declared, body)])


def _read_body(declared: Declared, body: bytes) -> Pairs | None:
    shape = declared.effect.shape
    if not shape.body_kind:
        return None if body else []
    try:
        if shape.body_kind == "json":
            return templates.read_json(shape.body, json.loads(body))
        fields = parse_qsl(body.decode("ascii"), keep_blank_values=True, strict_parsing=True)
    except ValueError:
        return None
    if len({name for name, _ in fields}) != len(fields):
        return None
    found = templates.read_json(shape.body, dict(fields))
    return None if found is None else _typed(declared, found)


def _typed(declared: Declared, found: Iterable[tuple[str, str]]) -> Pairs | None:
    """A text read from the wire, as the value that the parameter's schema says it is."""
    typed: Pairs = []
    for name, text in found:
        schema = declared.parameters["properties"].get(name, {})
        if schema.get("type") != "integer":
            typed.append((name, text))
        elif text.removeprefix("-").isdecimal() and str(int(text)) == text:
            typed.append((name, int(text)))
        else:
            return None
    return typed


def _agreed(found: Iterable[Pairs | None]) -> dict[str, Json] | None:
    read: dict[str, Json] = {}
    for pairs in found:
        if pairs is None:
            return None
        for name, value in pairs:
            if dumps(read.setdefault(name, value)) != dumps(value):
                return None
    return read
