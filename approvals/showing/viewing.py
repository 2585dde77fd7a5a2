"""How a person looks at a change: which part of it, which files, one column or two. All in the URL."""

from dataclasses import dataclass, replace
from typing import Any, Final
from urllib.parse import urlencode

from django.http import QueryDict

from approvals.onward import word
from canonical.fileclasses import FileClass

SIDE: Final = "side"
_LONGEST: Final = len("10000000")


@dataclass(frozen=True)
class Look:
    """`files`, `part` and `folders` are pages, from 1; `folder` ends with a slash or is "".

    `whole`: as many files as fit a long page are open on it.
    """

    files: int = 1
    part: int = 1
    folders: int = 1
    folder: str = ""
    kind: str = ""
    view: str = ""
    onward: str = ""
    whole: bool = False

    @classmethod
    def of(cls, query: QueryDict) -> "Look":
        """What an address asks for; anything it says wrongly is as if it were not there."""
        kind = query.get("kind", "")
        return cls(
            files=number(query, "files"),
            part=number(query, "part"),
            folders=number(query, "folders"),
            folder=query.get("folder", ""),
            kind=kind if kind in set(FileClass) else "",
            view=SIDE if query.get("view") == SIDE else "",
            onward=word(query.get("onward", "")),
            whole="whole" in query,
        )

    def address(self, **changes: Any) -> str:
        """The same look with some of it changed, as the end of an address."""
        look = replace(self, **changes)
        pages = {"files": look.files, "part": look.part, "folders": look.folders}
        said: dict[str, object] = {name: page for name, page in pages.items() if page > 1}
        texts = {"folder": look.folder, "kind": look.kind, "view": look.view, "onward": look.onward}
        said |= {name: text for name, text in texts.items() if text}
        flags = {"whole": look.whole}
        query = urlencode(said | {name: "" for name, is_set in flags.items() if is_set})
        return f"?{query}#change"


def number(query: QueryDict, name: str) -> int:
    """A page number from the address, 1 for anything else."""
    given = query.get(name, "")
    return int(given) if given.isascii() and given.isdigit() and len(given) < _LONGEST else 1
