"""The impact of a move in words, now and as it was kept beside the move."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from releases.impact import judging


def questions(counts: Mapping[str, Any]) -> str:
    """ "37 pending approvals: 31 unaffected, 4 need a new dry run, 2 void"."""
    n = counts["all"]
    if not n:
        return _("No approval is pending.")
    said = ngettext("%(n)s pending approval", "%(n)s pending approvals", n) % {"n": f"{n:,}"}
    words = {
        judging.UNAFFECTED: _("%(n)s unaffected"),
        judging.DRY_RUN: _("%(n)s need a new dry run"),
        judging.VOID: _("%(n)s void"),
        judging.UNTOLD: _("%(n)s nobody can tell of here"),
    }
    parts = [
        words[name] % {"n": f"{counts[name]:,}"} for name in judging.QUESTIONS if counts.get(name)
    ]
    return f"{said}: {', '.join(parts)}."


def runs(counts: Mapping[str, Any]) -> str:
    """ "118 of 120 paused runs can resume; 2 are blocked by version"."""
    n = counts["all"]
    if not n:
        return _("No run is paused.")
    told = {"can": f"{counts[judging.CAN]:,}", "all": f"{n:,}"}
    said = ngettext(
        "%(can)s of %(all)s paused run can resume",
        "%(can)s of %(all)s paused runs can resume",
        n,
    )
    parts = [said % told]
    if counts.get(judging.BLOCKED):
        parts.append(_("%(n)s blocked by version") % {"n": f"{counts[judging.BLOCKED]:,}"})
    if counts.get(judging.UNTOLD):
        parts.append(_("%(n)s nobody can tell of here") % {"n": f"{counts[judging.UNTOLD]:,}"})
    return f"{'; '.join(parts)}."
