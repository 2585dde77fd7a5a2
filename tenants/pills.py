"""The words, shapes and colours of every state a page can show: one table, no ladders in templates.

Tones mean: person = needs a person (red), itself = goes on by itself (orange), waiting = waiting as
designed (grey), working (blue), done (green), unknown = outcome unknown and nothing else (violet),
ended = over, and neither of these (ink).
"""

from dataclasses import dataclass, replace
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

Words = str | Promise


@dataclass(frozen=True)
class Pill:
    """How one state looks. `final` is False while the state may still change by itself."""

    word: Words
    tone: str
    shape: str
    final: bool = True
    reason: Words = ""


TONES: Final = ("person", "itself", "waiting", "working", "done", "unknown", "ended")

PILLS: Final = {
    # Runs.
    "queued": Pill(_("Queued"), "waiting", "ring", final=False),
    "running": Pill(_("Running"), "working", "dot", final=False),
    "waiting": Pill(_("Waiting"), "waiting", "pause", final=False),
    "held": Pill(_("On hold"), "person", "person", final=False),
    "succeeded": Pill(_("Succeeded"), "done", "check"),
    "failed": Pill(_("Failed"), "ended", "cross"),
    "cancelled": Pill(_("Cancelled"), "ended", "slash"),
    # Outcomes of actions.
    "happened": Pill(_("Happened"), "done", "check"),
    "did_not_happen": Pill(_("Did not happen"), "ended", "minus"),
    "refused": Pill(_("Refused by the tool"), "ended", "cross"),
    "unknown": Pill(_("Outcome unknown"), "unknown", "question", final=False),
    "written_off": Pill(_("Written off"), "ended", "slash"),
    "compensated": Pill(_("Compensated"), "ended", "undo"),
    # Actions on their way to an outcome, and what became of single attempts.
    "proposed": Pill(_("Proposed"), "waiting", "ring", final=False),
    "dispatched": Pill(_("On its way"), "working", "dot", final=False),
    "forbidden": Pill(_("Forbidden"), "ended", "cross"),
    "absent": Pill(_("Not there"), "ended", "minus"),
    "voided": Pill(_("Voided"), "ended", "slash"),
    "not_called": Pill(_("Never called"), "ended", "minus"),
    "resent_under_key": Pill(_("Sent again under the same key"), "ended", "undo"),
    # Approval requests, approvals and cases.
    "open": Pill(_("Needs a person"), "person", "person", final=False),
    "approved": Pill(_("Approved, not used yet"), "done", "check", final=False),
    "unused": Pill(_("Not used yet"), "done", "check", final=False),
    "used": Pill(_("Approved and used"), "done", "check"),
    "rejected": Pill(_("Rejected"), "ended", "cross"),
    "sent_back": Pill(_("Sent back"), "ended", "undo"),
    "expired": Pill(_("Expired"), "ended", "clock"),
    "withdrawn": Pill(_("Withdrawn"), "ended", "minus"),
    "closed": Pill(_("Closed"), "done", "check"),
    # Runs that are where they are for longer than expected; derived, never a status.
    "stuck": Pill(_("Stuck"), "person", "person", final=False),
    # Saved plans and the runs in them.
    "computing": Pill(_("Being worked out"), "working", "dot", final=False),
    "ready": Pill(_("Ready for review"), "person", "person", final=False),
    "started": Pill(_("Under way"), "working", "dot", final=False),
    "stopped": Pill(_("Stopped"), "person", "person", final=False),
    "finished": Pill(_("Finished"), "done", "check"),
    "discarded": Pill(_("Discarded"), "ended", "slash"),
    "planned": Pill(_("Planned"), "waiting", "ring", final=False),
    "left_out": Pill(_("Left out"), "ended", "minus"),
    "done": Pill(_("Done"), "done", "check"),
    "unproven": Pill(_("Not yet proven"), "waiting", "ring", final=False),
    "skipped": Pill(_("Skipped: it changed"), "ended", "undo"),
    # Releases.
    "new": Pill(_("Not moved yet"), "waiting", "ring", final=False),
    "shadow": Pill(_("Shadow"), "working", "dot", final=False),
    "canary": Pill(_("Canary"), "working", "dot", final=False),
    "stable": Pill(_("Stable"), "done", "check"),
    "release_stopped": Pill(_("Taken out"), "ended", "slash"),
    "rolling_back": Pill(_("Rolling back"), "working", "dot", final=False),
    "rollback_paused": Pill(_("Paused"), "person", "person", final=False),
    # How a shadow twin compares with its live run.
    "twin_different": Pill(_("Different effect"), "person", "problem"),
    "twin_extra": Pill(_("Extra effect"), "person", "problem"),
    "twin_missing": Pill(_("Missing effect"), "person", "problem"),
    "twin_trouble": Pill(_("Would need a person"), "person", "person"),
    "twin_moved": Pill(_("Saw another world"), "waiting", "ring"),
    "twin_words": Pill(_("Same effect, different words"), "done", "check"),
    "twin_same": Pill(_("Same"), "done", "check"),
    # The gates of a release: one measure, and what a look says of all of them.
    "better": Pill(_("Better"), "done", "check"),
    "no_worse": Pill(_("No worse"), "done", "check"),
    "worse": Pill(_("Worse"), "person", "problem"),
    "not_enough_evidence": Pill(_("Not enough evidence"), "waiting", "ring", final=False),
    "telemetry_broken": Pill(_("Telemetry broken"), "person", "problem", final=False),
    "arms_not_comparable": Pill(_("Arms not comparable"), "person", "problem", final=False),
    "promote_allowed": Pill(_("Promotion allowed"), "done", "check", final=False),
    "gates_hold": Pill(_("Gates hold it"), "waiting", "pause", final=False),
    "gates_stop": Pill(_("Gates stop it"), "person", "stop"),
}

# Kedge is already mending these: nobody needs to do anything.
GOES_ON_BY_ITSELF: Final = frozenset(
    {"interrupted", "for_retry", "for_look_up", "for_settling", "for_door"}
)

REASONS: Final = {
    "started": _("not started yet"),
    "woken": _("woken"),
    "yielded": _("let others go first"),
    "interrupted": _("interrupted"),
    "for_approval": _("for approval"),
    "for_retry": _("for the next try"),
    "for_look_up": _("asking what happened"),
    "for_settling": _("until late arrivals are ruled out"),
    "for_same_key": _("for the same effect elsewhere"),
    "for_stop": _("until a stop is lifted"),
    "for_door": _("until a door opens"),
    "outcome_unknown": _("outcome unknown"),
    "unmigratable": _("state cannot be migrated"),
    "damaged_checkpoint": _("damaged checkpoint"),
    "missing_blob": _("missing blob"),
    "world_changed": _("the world changed"),
    "credential_invalid": _("credential invalid"),
    "crash_loop": _("crash loop"),
    "invalid_output": _("invalid output"),
    "duplicate_effect": _("duplicate effect"),
    "contradicted": _("verdict contradicted"),
    "record_behind": _("record behind the world"),
    "success_condition_unmet": _("success condition unmet"),
    "forbidden_effect": _("forbidden effect"),
    "rejected": _("rejected"),
    "refused": _("refused by the tool"),
    "expired": _("approval expired"),
    "sent_back": _("sent back"),
    "written_off": _("written off"),
    "shadow_ended": _("at another effect than the live run"),
    "shadow_trouble": _("would have needed a person"),
}

# Kinds of changed files, as canonical.diffs puts them in order.
FILE_CLASSES: Final = {
    "ci": _("CI and hooks"),
    "link": _("Link or submodule"),
    "mode_change": _("Mode change"),
    "deleted": _("Deleted"),
    "binary": _("Binary"),
    "source": _("Source"),
    "lock": _("Lock file"),
    "generated": _("Generated"),
}

# In what alone two values differ that would look alike.
DIFFERENCES: Final = {
    "type": _("another type"),
    "form": _("the same letters in another Unicode form"),
    "hidden": _("only characters that cannot be seen differ"),
    "alike": _("only letters that look alike differ"),
    "space": _("only white space differs"),
    "case": _("only upper and lower case differ"),
    "order": _("the same items in another order"),
}
JSON_TYPES: Final = {
    "null": _("null"),
    "boolean": _("yes or no"),
    "number": _("number"),
    "string": _("text"),
    "array": _("list"),
    "object": _("object"),
}

# Reasons that repeat the word of the status say nothing, so they are not shown.
SAYS_NOTHING_MORE: Final = frozenset({"", "working", "done", "cancelled_by_person"})


def pill_for(code: str, reason: str = "") -> Pill:
    """How a status, an outcome or a request's state looks; never raises.

    A code this table does not know is shown by its own name, grey and not final.
    """
    unknown_code = Pill(code.replace("_", " ").capitalize(), "waiting", "ring", final=False)
    pill = replace(PILLS.get(code, unknown_code), reason=reason_words(reason))
    if reason in GOES_ON_BY_ITSELF and pill.tone == "waiting":
        return replace(pill, tone="itself", shape="loop")
    return pill


def reason_words(reason: str) -> Words:
    """A reason code in words; "" where the status already says it."""
    if reason in SAYS_NOTHING_MORE:
        return ""
    return REASONS.get(reason, reason.replace("_", " "))
