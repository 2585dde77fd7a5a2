"""Reads a dashboard with Grafana's own types: what they do not know, Grafana drops without a word."""

import json
from collections.abc import Iterator
from typing import Any

from grafana_foundation_sdk.cog import plugins
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models.dashboard import Dashboard

Json = Any


def unread(dashboard: Json) -> Iterator[str]:
    """The path of each member that Grafana would not read as it is written."""
    plugins.register_default_plugins()
    read = JSONEncoder().encode(Dashboard.from_json(dashboard))
    yield from _lost(dashboard, json.loads(read))


def _lost(one: Json, other: Json, at: str = "") -> Iterator[str]:
    if isinstance(one, dict) and isinstance(other, dict):
        for key, value in one.items():
            if key in other:
                yield from _lost(value, other[key], f"{at}/{key}")
            else:
                yield f"{at}/{key}"
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for place, pair in enumerate(zip(one, other, strict=True)):
            yield from _lost(*pair, at=f"{at}/{place}")
    elif one != other:
        yield at
