"""How rules name themselves and tenants: words of a closed form."""

import re
from collections.abc import Mapping
from typing import Any, Final

from approvals.rules.reading import Reader
from approvals.rules.requirements import LONGEST_NAME

Json = Any

NAME: Final = re.compile(r"[a-z0-9][a-z0-9_-]*")
SLUG: Final = re.compile(r"[A-Za-z0-9_-]+")
LONGEST_TOOL: Final = 64
LONGEST_SLUG: Final = 63
MOST_TENANTS: Final = 500


def name(reader: Reader, value: Json, path: str) -> str:
    """The name of a rule."""
    return _matching(reader, value, path, NAME, LONGEST_NAME)


def tenants(reader: Reader, members: Mapping[str, Json], path: str) -> tuple[str, ...] | None:
    """The slugs of the tenants at which a rule holds; None for all."""
    if "tenants" not in members:
        return None
    at = f"{path}/tenants"
    slugs = [
        _matching(reader, slug, f"{at}/{index}", SLUG, LONGEST_SLUG)
        for index, slug in enumerate(reader.items(members["tenants"], at, MOST_TENANTS))
    ]
    reader.differ(slugs, at)
    return tuple(slugs)


def _matching(reader: Reader, value: Json, path: str, form: re.Pattern[str], most: int) -> str:
    text = reader.text(value, path, most)
    if text and form.fullmatch(text) is None:
        reader.refuse(path, f"has other characters than {form.pattern}.", "Use letters, digits, -.")
    return text
