"""What differs between two combos, part by part in words: "prompt think 3f9c12 → 77ab0e; rules same".

Pure. A part that has no version of its own is named by the beginning of its digest.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.utils.translation import gettext as _

from canonical import digests

Json = Any

DIGITS: Final = 6
# Digests in the manifest already: their beginning is their name.
DIGESTED: Final = ("code", "practice", "lock")
NOTHING: Final = "\N{EN DASH}"


@dataclass(frozen=True)
class Differences:
    """The parts that changed, each as "what before → after", and the names of those that did not."""

    changed: tuple[str, ...]
    same: tuple[str, ...]

    @property
    def words(self) -> str:
        """What changed alone: "prompt think 3f9c12 → 77ab0e, rules 1b2c3d → 9e8f7a"."""
        return ", ".join(self.changed) or _("nothing")

    @property
    def sentence(self) -> str:
        """What changed, and of what people ask about first what did not."""
        if not self.same:
            return self.words
        return _("%(changed)s; %(same)s same") % {
            "changed": self.words,
            "same": ", ".join(self.same),
        }


def between(old: Mapping[str, Json], new: Mapping[str, Json]) -> Differences:
    """Compare two manifests."""
    before, after = dict(_parts(old)), dict(_parts(new))
    names = [*after, *(name for name in before if name not in after)]
    changed = [
        f"{name[1]} {before.get(name, NOTHING)} → {after.get(name, NOTHING)}"
        for name in names
        if before.get(name) != after.get(name)
    ]
    groups = {name[0] for name in names if before.get(name) != after.get(name)}
    same = dict.fromkeys(group for group, _part in names if group not in groups)
    return Differences(tuple(changed), tuple(group for group in same if group in _asked_about()))


def _asked_about() -> tuple[str, ...]:
    return (_("prompts"), _("rules"), _("tools"), _("model"), _("code"))


def _parts(manifest: Mapping[str, Json]) -> Iterator[tuple[tuple[str, str], str]]:
    """The group and the name of each part, with its version or the beginning of its digest."""
    for name, text in sorted(_object(manifest, "prompts").items()):
        yield (_("prompts"), _("prompt %(name)s") % {"name": name}), _named(text)
    yield (_("rules"), _("rules")), _named(manifest.get("rules"))
    for name, tool in sorted(_object(manifest, "tools").items()):
        yield (_("tools"), _("tool %(name)s") % {"name": name}), _tool(tool)
    yield (_("model"), _("model")), str(manifest.get("model") or NOTHING)
    for name, version in sorted(_object(manifest, "versions").items()):
        yield (name, name), str(version)
    yield (_("state schema"), _("state schema")), _schema(manifest)
    for name in ("settings", "input_schema"):
        said = {"settings": _("settings"), "input_schema": _("input schema")}[name]
        yield (said, said), _named(manifest.get(name))
    for name in DIGESTED:
        said = {"code": _("code"), "practice": _("practice"), "lock": _("lock")}[name]
        yield (said, said), str(manifest.get(name) or NOTHING)[:DIGITS]


def _object(manifest: Mapping[str, Json], name: str) -> Mapping[str, Json]:
    part = manifest.get(name)
    return part if isinstance(part, dict) else {}


def _tool(tool: Json) -> str:
    """Its version and its schemas: either may change without the other."""
    version = str(tool.get("version", "")) if isinstance(tool, dict) else str(tool)
    return f"{version} ({_named(tool)})"


def _schema(manifest: Mapping[str, Json]) -> str:
    number = manifest.get("state_schema", NOTHING)
    return f"{number} ({_named(manifest.get('state_schemas'))})"


def _named(part: Json) -> str:
    """The beginning of the digest of what a part says; nothing of nothing."""
    return NOTHING if part is None else digests.tagged("combo-part", part)[:DIGITS]
