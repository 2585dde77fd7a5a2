"""What the page of a case shows of the people who work on it: who is at it, its age, its story."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final

from django.conf import settings
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from checkpoints import claims
from checkpoints.claims import Subject
from checkpoints.desk import ages, notes, pauses
from checkpoints.models import Case, Claim, Event
from reconciliation.casework.forms import HandOverForm, NoteForm, WaitForm
from tenants import clock
from tenants.pills import Pill
from tenants.scope import TenantRequest

EVENTS_SHOWN: Final = 100
LONGEST_ID: Final = 19
OVERDUE: Final = Pill(gettext_lazy("Overdue"), "person", "clock", final=False)
STOPPED: Final = Pill(gettext_lazy("Stands still"), "waiting", "pause", final=False)

# What happened to a case, in words; a part in %(…)s comes from the event.
STORY: Final[dict[str, tuple[str | Promise, str]]] = {
    "case claimed": (gettext_lazy("Claimed"), "itself"),
    "case handed over": (gettext_lazy("Handed over to %(to)s"), "itself"),
    "case released": (gettext_lazy("Released"), "ended"),
    "waits for outside": (gettext_lazy("Waits for %(party)s"), "waiting"),
    "waits for outside no more": (gettext_lazy("Waits for %(party)s no more"), "itself"),
    "verdict given": (gettext_lazy("Verdict given"), "done"),
    "verdict taken back": (gettext_lazy("Verdict taken back"), "person"),
    "case opened again": (gettext_lazy("Opened again"), "person"),
    "case closed": (gettext_lazy("Closed by itself: %(because)s"), "done"),
}
TAKEN_OVER: Final = gettext_lazy("Taken over from %(taken_from)s")


def work(request: TenantRequest, case: Case) -> dict[str, Any]:
    """The context of the fragment that says who is at the case, and how old it is."""
    now, held = clock.now(), claims.holder(Subject.of_case(case))
    age = ages.of(ages.aged(Case.objects.all()).get(pk=case.pk), now=now)
    is_open = case.decided_at is None and case.closed_at is None
    may = request.access.may(case.tenant_id, claims.RIGHTS[claims.CASE])
    return {
        "case": case,
        "age": age,
        "overdue": OVERDUE,
        "stopped": STOPPED,
        "outside": pauses.current(case),
        "claim": held,
        "is_mine": held is not None and held.holder_id == request.user.pk,
        "is_open": is_open,
        "may_work": is_open and may,
        "beat_seconds": max(1, min(60, settings.KEDGE_CLAIM_SECONDS // 4)),
    }


def context(request: TenantRequest, case: Case) -> dict[str, Any]:
    """The same, with the forms beside it and the story of the case: for the whole page."""
    colleagues = [
        user for user in claims.who_can(case.tenant, claims.CASE) if user.pk != request.user.pk
    ]
    found = work(request, case)
    return {
        **found,
        "may_act": found["may_work"] and (found["claim"] is None or found["is_mine"]),
        "story": story(case),
        "note_form": NoteForm(),
        "wait_form": WaitForm(),
        "hand_over_form": HandOverForm(colleagues) if colleagues else None,
        "may_note": request.access.may(case.tenant_id, claims.RIGHTS[claims.CASE]),
    }


def story(case: Case) -> list[dict[str, Any]]:
    """What happened to a case and what people wrote about it, oldest first, with a row per day."""
    found = sorted([*_events(case), *_notes(case), *_ends(case)], key=lambda each: each["at"])
    rows: list[dict[str, Any]] = []
    day = None
    for each in found:
        if each["at"].date() != day:
            day = each["at"].date()
            rows.append({"day": each["at"]})
        rows.append(each)
    return rows


def _events(case: Case) -> Iterator[dict[str, Any]]:
    found = Event.objects.filter(
        run_id=case.run_id, what__in=list(STORY), detail__case=str(case.pk)
    )
    for event in list(found.order_by("-id")[:EVENTS_SHOWN])[::-1]:
        words, tone = STORY[event.what]
        words = TAKEN_OVER if "taken_from" in event.detail else words
        told = {name: str(value) for name, value in event.detail.items()}
        more = told.get("why", "")
        yield _entry(event.at, str(words) % told, by=event.actor, tone=tone, text=more)


def _notes(case: Case) -> Iterator[dict[str, Any]]:
    for note in notes.of(case):
        by = str(note.written_by)
        yield _entry(note.at, _("Note"), by=by, tone="ended", text=note.text)


def _ends(case: Case) -> Iterator[dict[str, Any]]:
    yield _entry(case.opened_at, _("The run was put on hold"), tone="person")
    if case.closed_at is not None:
        yield _entry(case.closed_at, _("Closed"), tone="done", text=case.closed_because)


def _entry(at: datetime, title: str, *, tone: str, by: str = "", text: str = "") -> dict[str, Any]:
    return {"at": at, "title": title, "by": by, "tone": tone, "text": text, "shape": "dot"}


def seen_of(request: TenantRequest) -> int | None:
    """The claim that a form takes over, as its page asked; None when it asked nothing."""
    given = request.POST.get("over", "")
    return int(given) if given.isdecimal() and len(given) < LONGEST_ID else None


def sentence(claim: Claim | None) -> str:
    """Who has claimed it, in one sentence for a message."""
    if claim is None:
        return _("Nobody has claimed this any more: claim it.")
    told = {"who": str(claim.holder), "at": f"{claim.since:%H:%M}"}
    return _("%(who)s has claimed this since %(at)s UTC. Take it over first.") % told
