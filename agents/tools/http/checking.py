"""What must hold of a declaration beyond its form, each said as one sentence."""

import re
from collections.abc import Iterator, Mapping

from agents.tools import declaring, looking
from agents.tools.errors import BadDeclaration
from agents.tools.http.declared import Declared, Json, LookUp, Shape
from agents.tools.templates import GIVEN, names_in, names_in_text

ATTEMPT, ACTION, KEY = "$attempt_id", "$action_id", "$key"
_PIECES = re.compile(r"[/?&=,;:]")


def check(declared: Declared, given: Mapping[str, Json]) -> None:
    """Raises `BadDeclaration` with the first thing that does not hold."""
    for problem in _problems(declared, given):
        raise BadDeclaration(f"{declared.name}: {problem}")


def names_of(shape: Shape) -> set[str]:
    """All names that a request is made of."""
    return {*_names_in_texts(shape), *names_in(shape.body)}


def _problems(declared: Declared, given: Mapping[str, Json]) -> Iterator[str]:
    yield from _of_parameters(declared)
    yield from _of_names(declared, given)
    yield from _of_places(declared)
    yield from _of_what_it_can(declared, given)


def _of_parameters(declared: Declared) -> Iterator[str]:
    schemas = (it.schema for it in declared.receipt.values())
    yield from declaring.problems_of_schemas(declared.parameters, *schemas)
    unused = declared.parameters["properties"].keys() - names_of(declared.effect.shape)
    if unused:
        # Somebody would approve a value that is never sent.
        yield f"the effect does not send {_listed(unused)}"


def _of_names(declared: Declared, given: Mapping[str, Json]) -> Iterator[str]:
    known = {*declared.parameters["properties"], *GIVEN}
    for shape in _shapes(declared):
        if names_of(shape) - known:
            yield f"no parameter is called {_listed(names_of(shape) - known)}"
    yield from declaring.problems_of_what_is_said(declared.says, declared.parameters)
    yield from looking.problems(given, declared.parameters)


def _of_places(declared: Declared) -> Iterator[str]:
    in_texts = {name for shape in _shapes(declared) for name in _names_in_texts(shape)}
    yield from declaring.problems_of_texts(declared.parameters, in_texts)
    hidden = declaring.sensitive(declared.parameters)
    for shape in _shapes(declared):
        if hidden & _in_path(shape):
            yield "something sensitive stands in an address"
        pieces = [*_PIECES.split(shape.path), *shape.headers.values()]
        if any(len(names_in_text(piece)) > 1 for piece in pieces):
            yield f"two places without a sign between them in {shape.path}"


def _of_what_it_can(declared: Declared, given: Mapping[str, Json]) -> Iterator[str]:
    sent = names_of(declared.effect.shape)
    if declared.keyed and ATTEMPT in sent:
        yield "under one key every attempt must send the same, so no $attempt_id"
    look_up = declared.look_up
    if look_up and not names_of(look_up.shape) & {ACTION, KEY}:
        yield "the look-up asks for no action"
    if look_up and look_up.fields.keys() - declared.receipt.keys():
        yield "the look-up names a field that the receipt has not"
    if look_up and not sent & {*look_up.match.values()}:
        yield "the effect does not send what the look-up asks for"
    if look_up and declared.void:
        yield from _of_void(declared, declared.void.shape, look_up)
    if given.get("create_only") == "if-none-match":
        yield from _of_place(declared.effect.shape)


def _of_void(declared: Declared, void: Shape, look_up: LookUp) -> Iterator[str]:
    if not names_of(declared.effect.shape) & {ACTION, KEY}:
        yield "the place that effect and void compete for is not the action's own"
    if not look_up.void:
        yield "the look-up cannot tell a tombstone from an effect"
    if not names_of(void) & {*look_up.match.values()}:
        yield "the void does not send what the look-up asks for"


def _of_place(effect: Shape) -> Iterator[str]:
    if effect.method != "PUT":
        yield "only a PUT can create nothing but what is not there"
    if not _in_path(effect) & {ACTION, KEY}:
        yield "the address of the effect is not the action's own"


def _shapes(declared: Declared) -> Iterator[Shape]:
    yield declared.effect.shape
    for part in (declared.before, declared.look_up, declared.void):
        if part is not None:
            yield part.shape


def _names_in_texts(shape: Shape) -> Iterator[str]:
    for text in (shape.path, *shape.headers.values()):
        yield from names_in_text(text)
    if shape.body_kind == "form":
        yield from names_in(shape.body)


def _in_path(shape: Shape) -> set[str]:
    return {*names_in_text(shape.path)}


def _listed(names: set[str]) -> str:
    return ", ".join(sorted(names))
