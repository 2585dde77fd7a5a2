"""What a run is: who asked for it, for whom, with which versions; as facts for its page."""

import json
from collections.abc import Mapping
from typing import Any

from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext as _

from canonical import json as canonical
from canonical.display import clip
from checkpoints import repins
from checkpoints.models import Combo, Run, Twin
from checkpoints.pages.forms import title_of
from execution.pages.places import place
from tenants.keys import seeing

LONGEST_INPUT = 20_000
Fact = dict[str, Any]


def facts(run: Run) -> list[Fact]:
    """Identity, caller, versions and counters of a run."""
    digest = run.combo.hex
    found: list[Fact] = [
        {"label": _("Run id"), "value": str(run.id), "at": run.created_at},
        {"label": _("Task"), "value": f"{title_of(run.task_type)} ({run.task_type})"},
        {"label": _("Business key"), "value": run.business_key},
        {
            "label": _("Started by"),
            "value": run.caller,
            "note": _("through: %(channel)s") % {"channel": run.channel},
        },
        {"label": _("On behalf of"), "value": run.on_behalf_of or _("nobody else")},
        {
            "label": _("Combo"),
            "value": _code(digest[:12]),
            "url": place("combo", run.tenant, digest),
            "note": _versions(run),
        },
        *_moves(run),
        _mode(run),
        {
            "label": _("Fence"),
            "value": run.fence,
            "note": _("grows each time a worker takes it up"),
        },
        {"label": _("Attempts"), "value": run.attempts, "note": _("since it last got further")},
    ]
    if run.cancel_requested_at:
        asked = {"label": _("Cancel asked by"), "value": run.cancel_requested_by}
        found.append({**asked, "at": run.cancel_requested_at})
    return found


def _moves(run: Run) -> list[Fact]:
    """What it was started on, if it has moved since; and where an open order wants it."""
    found: list[Fact] = []
    if run.first_combo is not None:
        found.append({"label": _("Started on"), **_combo(run, run.first_combo)})
    repin = repins.open_of(run.pk) if run.moving_to_id is not None else None
    if repin is not None:
        told = {"who": repin.ordered_by, "why": repin.why}
        note = _("at its next boundary, by order of %(who)s: %(why)s") % told
        fact = {"label": _("Moves to"), **_combo(run, repin.to_combo), "note": note}
        found.append({**fact, "at": repin.ordered_at})
    return found


def _combo(run: Run, combo: Combo) -> Fact:
    return {"value": _code(str(combo)), "url": place("combo", run.tenant, combo.hex)}


def _mode(run: Run) -> Fact:
    """Live, or the shadow of a run; a shadow sends nothing."""
    twin = Twin.objects.filter(run=run).first()
    if twin is None:
        return {"label": _("Mode"), "value": run.mode}
    note = _("beside run %(id)s; it sends nothing") % {"id": twin.twin_of_id}
    url = place("run", run.tenant, twin.twin_of_id)
    return {"label": _("Mode"), "value": run.mode, "url": url, "note": note}


def input_text(run: Run) -> tuple[str, int]:
    """The input as it may be seen, laid out, and how many characters of it are left out."""
    value = seeing.of_value(run.tenant_id, json.loads(bytes(run.input))).value
    return tuple(clip(json.dumps(value, indent=2, ensure_ascii=False), LONGEST_INPUT))  # type: ignore[return-value]


def _versions(run: Run) -> Any:
    """The versions in the combo that a person can tell apart, as short lines."""
    try:
        manifest = canonical.loads_object(bytes(run.combo.manifest))
    except ValueError:
        return _("its versions cannot be read")
    lines = [*_named(manifest), *_tools(manifest.get("tools"))]
    return format_html_join(", ", "{} {}", lines)


def _named(manifest: Mapping[str, Any]) -> list[tuple[str, str]]:
    words = {
        "model": _("model"),
        "code": _("code"),
        "state_schema": _("state schema"),
    }
    return [
        (words[name], _short(manifest[name])) for name in words if manifest.get(name) is not None
    ]


def _tools(tools: Any) -> list[tuple[str, str]]:
    if not isinstance(tools, dict):
        return []
    return [
        (name, str(told.get("version", "?")))
        for name, told in sorted(tools.items())
        if isinstance(told, dict)
    ]


def _short(value: Any) -> str:
    if isinstance(value, dict):
        return str(value.get("name") or value.get("model") or next(iter(value.values()), "?"))
    text = str(value)
    return text[:12] if len(text) == 64 else text  # noqa: PLR2004 - a digest in hex


def _code(text: str) -> Any:
    return format_html("<code>{}</code>", text)
