"""The rungs in words: what each lets the runs of a candidate do with a tool."""

from collections.abc import Mapping
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from checkpoints import rungs

RUNGS: Final[Mapping[str, Promise]] = {
    rungs.FAKE: _("fake"),
    rungs.READ: _("read"),
    rungs.DRY_RUN: _("dry run"),
    rungs.WRITE: _("write"),
}
MEANS: Final[Mapping[str, Promise]] = {
    rungs.FAKE: _("The tool is not called at all: its runs end at what they propose."),
    rungs.READ: _("Its credential may be checked. Nothing is tried and nothing is sent."),
    rungs.DRY_RUN: _("What it would change is computed and compared. Nothing is sent."),
    rungs.WRITE: _("Approved effects are sent. A canary and a promotion need this rung."),
}
CLIMB: Final[Mapping[str, Promise]] = {
    rungs.READ: _("Let it read"),
    rungs.DRY_RUN: _("Let it dry-run"),
    rungs.WRITE: _("Let it write"),
}
