"""The words of the timeline: each event, attempt, look-up and group of checkpoints as one line."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from checkpoints import states
from checkpoints.models import Event, Run
from execution.pages.eventforms import FORMS, Form, Words
from execution.pages.places import ACTION, CASE, REQUEST, place
from reconciliation.models import Attempt, LookUp
from tenants import pills
from tenants.models import Tenant


@dataclass(frozen=True)
class Entry:
    """One line for components/timeline_event.html. `begins` is when a grouped line began."""

    at: datetime
    title: str
    url: str = ""
    text: str = ""
    status: str = ""
    reason: str = ""
    tone: str = "waiting"
    shape: str = "dot"
    took: float | None = None
    by: str = ""
    ahead: bool = False
    what: str = ""
    begins: datetime | None = None


@dataclass(frozen=True)
class Told:
    """One checkpoint, as far as the timeline needs it."""

    seq: int
    node: str
    at: datetime
    about: str = ""

    def line(self, run: Run, members: Sequence[Any], since: datetime) -> Entry:
        """These neighbouring checkpoints of one node as one line; `since` is when they began."""
        first, last, count = members[0].seq, members[-1].seq, len(members)
        text = _("checkpoint %(n)d") % {"n": first}
        if count > 1:
            text = _("checkpoints %(first)d to %(last)d") % {"first": first, "last": last}
        if self.about:
            text = f"{text}: {self.about}"
        return Entry(
            at=members[-1].at,
            begins=members[0].at,
            title=times(self.node, count),
            url=place("run_checkpoint", run.tenant, run.id, last),
            text=text,
            tone="done",
            shape="check",
            took=max((members[-1].at - since).total_seconds(), 0.0),
            what="step",
        )


HOW_KNOWN: Final = {
    "answered": gettext_lazy("The tool answered."),
    "looked_up": gettext_lazy("Found out by asking the tool; nothing was sent again."),
    "voided": gettext_lazy("Its place was taken, so a late call must fail."),
    "by_person": gettext_lazy("A person said so, with evidence."),
    "withdrawn": gettext_lazy("It was withdrawn before anything was sent."),
}

ANSWERS: Final = {
    "found": gettext_lazy("Asked the tool what happened: it is there"),
    "absent": gettext_lazy("Asked the tool what happened: it is not there"),
    "unanswered": gettext_lazy("Asked the tool what happened: no answer"),
    "first_seen": gettext_lazy("Noticed that an outcome is open"),
    "voided": gettext_lazy("Took its place, so that a late call must fail"),
}

WAITS: Final[dict[str, Words]] = {
    "asked": gettext_lazy("waited for approval"),
    "held": gettext_lazy("waited for a person"),
    "proposed": gettext_lazy("waited"),
}


def of_event(tenant: Tenant, event: Event, describes: Mapping[str, str]) -> Entry:
    """An event as a line. One that this table does not know is told by its own name."""
    if event.what == "settled":
        return _settled(tenant, event, describes)
    form = FORMS.get(event.what, Form(words_of(event.what)))
    detail = event.detail
    about = str(detail.get(form.about, "")) if form.about else ""
    return Entry(
        at=event.at,
        title=_title(event, form, describes),
        url=_url(tenant, event),
        text=_more(event) or _unopened(event, about),
        status=form.status,
        reason=str(detail.get("stop_reason", "")),
        tone=form.tone,
        shape=form.shape,
        by=event.actor,
        what=event.what,
    )


def _unopened(event: Event, about: str) -> str:
    """What a yes says of itself, and how much its person had not opened."""
    unopened = str(event.detail.get("unopened", ""))
    if not unopened:
        return about
    told = _("Not opened before: %(n)s parts.") % {"n": unopened}
    return f"{about} {told}".strip()


def of_attempt(tenant: Tenant, attempt: Attempt) -> Entry:
    """An intent: what was about to be sent, and how long it took to know what became of it."""
    took = (attempt.settled_at - attempt.dispatched_at) if attempt.settled_at else None
    again = _("Sent again (attempt %(n)d)") if attempt.number > 1 else _("Sent")
    title = again % {"n": attempt.number} if attempt.number > 1 else again
    return Entry(
        at=attempt.dispatched_at,
        title=f"{title}: {attempt.action.describe}",
        url=place(ACTION, tenant, attempt.action_id),
        text=_("to %(target)s") % {"target": attempt.action.target},
        tone="working",
        shape="next",
        took=took.total_seconds() if took else None,
        what="sent",
    )


def of_look_ups(look_ups: Sequence[LookUp]) -> list[Entry]:
    """Look-ups; the same answer again and again is one line."""
    told = []
    for (_attempt, answer), group in groupby(
        look_ups, key=lambda each: (each.attempt_id, each.answer)
    ):
        members = list(group)
        title = str(ANSWERS.get(answer, answer))
        told.append(
            Entry(
                at=members[-1].at,
                begins=members[0].at,
                title=times(title, len(members)),
                text=members[-1].detail,
                tone="itself",
                shape="search",
                what="looked up",
            )
        )
    return told


def times(what: str, count: int) -> str:
    """What happened so many times in a row; once is not said."""
    return what if count == 1 else f"{what} \u00d7{count}"


def words_of(what: str) -> str:
    """An event's name in words."""
    if what in states.FINAL:
        return str(pills.pill_for(what).word)
    return str(FORMS[what].title) if what in FORMS else what.replace("_", " ").capitalize()


def waited_for(last: Entry) -> str:
    """Why nothing happened after a line, as far as the line says it."""
    return str(WAITS.get(last.what, _("nothing happened")))


def _settled(tenant: Tenant, event: Event, describes: Mapping[str, str]) -> Entry:
    action = str(event.detail.get("action", ""))
    outcome = str(event.detail.get("outcome", ""))
    because = str(event.detail.get("because", ""))
    return Entry(
        at=event.at,
        title=describes.get(action) or _("An action"),
        url=place(ACTION, tenant, action) if action else "",
        status=outcome,
        reason=because if because in pills.REASONS and because != outcome else "",
        text=str(HOW_KNOWN.get(because, "")),
        shape=pills.pill_for(outcome).shape,
        what="settled",
    )


def _title(event: Event, form: Form, describes: Mapping[str, str]) -> str:
    if event.what in ("proposed", "proposed again", "asked"):
        described = describes.get(str(event.detail.get("action", "")), "")
        return f"{form.title}: {described}" if described else str(form.title)
    if event.what == "held":
        return f"{form.title}: {pills.reason_words(str(event.detail.get('kind', '')))}"
    if event.what == "verdict given":
        verdict = str(event.detail.get("verdict", "")).replace("_", " ")
        return f"{form.title}: {verdict}"
    return str(form.title)


def _more(event: Event) -> str:
    if event.what != "world moved":
        return ""
    was, now = str(event.detail.get("was", "")), str(event.detail.get("now", ""))
    told = {"source": event.detail.get("source", ""), "was": was[:12], "now": now[:12] or _("gone")}
    return _("%(source)s was %(was)s and is %(now)s.") % told


URLS: Final[dict[str, Callable[[Mapping[str, Any]], tuple[str, str]]]] = {
    "request": lambda detail: (REQUEST, str(detail["request"])),
    "case": lambda detail: (CASE, str(detail["case"])),
    "action": lambda detail: (ACTION, str(detail["action"])),
}


def _url(tenant: Tenant, event: Event) -> str:
    for key, of in URLS.items():
        if key in event.detail:
            name, identity = of(event.detail)
            return place(name, tenant, identity)
    return ""
