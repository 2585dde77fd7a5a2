"""JSON pointers (RFC 6901): how a rule names one part of an effect's parameters."""

import re
from typing import Any, Final

Json = Any

FORM: Final = re.compile(r"(/([^~/]|~[01])*)+")
ABSENT: Final = object()


def is_pointer(text: Json) -> bool:
    """True for a pointer to a part; the whole ("") is none."""
    return isinstance(text, str) and FORM.fullmatch(text) is not None


def at(value: Json, pointer: str) -> Json:
    """The part a pointer names, `ABSENT` when there is none."""
    for step in pointer.split("/")[1:]:
        value = _step(value, step.replace("~1", "/").replace("~0", "~"))
        if value is ABSENT:
            return ABSENT
    return value


def _step(value: Json, name: str) -> Json:
    if isinstance(value, dict):
        return value.get(name, ABSENT)
    if isinstance(value, list) and re.fullmatch(r"0|[1-9][0-9]{0,8}", name):
        return value[int(name)] if int(name) < len(value) else ABSENT
    return ABSENT
