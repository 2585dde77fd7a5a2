"""In what two values differ that would look alike: type, form of a letter, invisible signs, space, order."""

import unicodedata
from collections import Counter
from collections.abc import Iterator
from typing import Final, Literal

from canonical import lookalikes
from canonical.display import shown
from canonical.json import Json, dumps
from canonical.strict import shown_key

Label = Literal["type", "form", "hidden", "alike", "space", "case", "order"]

LONGEST_LIST: Final = 1000  # of longer ones nobody is told that only their order differs


def label(old: Json, new: Json) -> Label | None:
    """Return what alone makes two values differ, None when they differ in what can be read."""
    if isinstance(old, str) and isinstance(new, str):
        return text_label(old, new)
    if isinstance(old, list) and isinstance(new, list):
        same = Counter(map(dumps, old)) == Counter(map(dumps, new))
        return "order" if same and dumps(old) != dumps(new) else None
    return "type" if _read(old) == _read(new) and dumps(old) != dumps(new) else None


def reordered(old: Json, new: Json, path: str = "") -> Iterator[str]:
    """Yield the paths of the lists that hold the same items in another order, as JSON pointers."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in old.keys() & new.keys():
            yield from reordered(old[key], new[key], f"{path}/{shown_key(key)}")
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new) <= LONGEST_LIST:
        if label(old, new) == "order":
            yield path
            return
        for index, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from reordered(one, other, f"{path}/{index}")


def text_label(old: str, new: str) -> Label | None:
    """Return what alone makes two texts differ; None for equal texts and for any other difference."""
    if old == new:
        return None
    if unicodedata.normalize("NFC", old) == unicodedata.normalize("NFC", new):
        return "form"
    if _without_space(old) == _without_space(new):
        return "space"
    if _seen(old) == _seen(new):
        return "hidden"
    if _skeleton(old) == _skeleton(new):
        return "alike"
    return "case" if old.casefold() == new.casefold() else None


def _read(value: Json) -> str:
    # What a person reads when quotes are not shown: "1" and 1, "null" and null, "true" and true.
    return value if isinstance(value, str) else dumps(value).decode()


def _without_space(text: str) -> str:
    return "".join(text.split())


def _seen(text: str) -> str:
    return "".join(piece.text for piece in shown(text) if piece.kind != "hidden")


def _skeleton(text: str) -> str:
    letters = list(_seen(text))
    for each in lookalikes.found("".join(letters)):
        letters[each.at] = each.like
    return "".join(letters)
