"""The only things a second look can say: a closed form, and places that are there. Pure.

No word of the model reaches a person: a remark is a kind out of a list, a line that was shown, and
a quotation that must stand in that very line.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from approvals.looking.view import Line, View

Json = Any

NOTHING_NOTICED: Final = "nothing_noticed"
LOOK_HERE: Final = "look_here"
KINDS: Final = (
    "touches_secrets",
    "widens_permissions",
    "deletes_data",
    "unrelated_to_summary",
    "hides_characters",
    "magnitude_unusual",
    "instructions_in_content",
)
MOST_REMARKS: Final = 8
LONGEST_QUOTE: Final = 160
LONGEST_PATH: Final = 300

SCHEMA: Final[dict[str, Json]] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["outcome", "remarks"],
    "properties": {
        "outcome": {"enum": [NOTHING_NOTICED, LOOK_HERE]},
        "remarks": {
            "type": "array",
            "maxItems": MOST_REMARKS,
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["kind", "path", "line", "quote"],
                "properties": {
                    "kind": {"enum": list(KINDS)},
                    "path": {"type": "string", "minLength": 1, "maxLength": LONGEST_PATH},
                    "line": {"type": "integer", "minimum": 1},
                    "quote": {"type": "string", "minLength": 1, "maxLength": LONGEST_QUOTE},
                },
            },
        },
    },
}


class UnusableAnswerError(ValueError):
    """The answer fits the form and says something that cannot be so. Quotes nothing of it."""


@dataclass(frozen=True)
class Remark:
    """One thing to look at: its kind, and the shown line with the words quoted from it."""

    kind: str
    line: Line
    quote: str

    def as_json(self) -> dict[str, Json]:
        """For the record."""
        place = {"path": self.line.path, "part": self.line.part}
        numbers = {"line": self.line.number, "old": self.line.old, "new": self.line.new}
        return {"kind": self.kind, "quote": self.quote, **place, **numbers}


def read(answer: Mapping[str, Json], view: View) -> tuple[Remark, ...]:
    """The remarks of an answer that fits `SCHEMA`; none for *nothing noticed*.

    Raises `UnusableAnswerError` when it contradicts itself or names what is not in the view.
    """
    remarks = tuple(_remark(each, view) for each in answer["remarks"])
    if bool(remarks) != (answer["outcome"] == LOOK_HERE):
        raise UnusableAnswerError("it says look here without a remark, or remarks on nothing")
    # Two of the same are one: a list cannot be filled up with it.
    return tuple(dict.fromkeys(remarks))


def _remark(said: Mapping[str, Json], view: View) -> Remark:
    line = view.line(said["line"])
    if line is None:
        raise UnusableAnswerError("a remark names a line that was not shown")
    if said["path"] != line.path:
        raise UnusableAnswerError("a remark names a line that is not of its path")
    if said["quote"] not in line.text or not said["quote"].strip():
        raise UnusableAnswerError("a remark quotes what does not stand in its line")
    return Remark(said["kind"], line, said["quote"])
