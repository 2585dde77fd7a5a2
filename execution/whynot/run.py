"""The questions about the run itself: is it due, is its lease free, does it wait for people."""

from django.conf import settings
from django.utils.translation import gettext as _

from approvals import states as permission
from approvals.models import ApprovalRequest
from checkpoints import states
from checkpoints.models import Run
from execution.pages.places import INBOX, REQUEST, place
from execution.problems import stuck
from execution.whynot.answers import Answer, against
from tenants import clock, moments, pills
from tenants.amounts import count


def due(run: Run) -> Answer:
    """Whether its time has come."""
    if run.status in states.FINAL:
        return Answer(ok=False, said=_("It has ended: nothing more is done."), at=run.finished_at)
    if run.status == states.HELD:
        said = _("It is on hold: a person has to decide its case.")
        return against(said, run.progressed_at, _("Decide the case"), place(INBOX, run.tenant))
    if run.status == states.RUNNING:
        return Answer(ok=True, said=_("A worker has taken it up."), at=run.woken_at)
    why = str(pills.reason_words(run.reason))
    if run.due_at is None:
        return Answer(ok=False, said=_("It waits, without a date: %(why)s.") % {"why": why})
    if run.due_at > clock.now():
        said = _("Its time has not come: %(why)s.") % {"why": why}
        return Answer(ok=False, said=said, at=run.due_at)
    return Answer(ok=True, said=_("It is due."), at=run.due_at)


def lease(run: Run) -> Answer:
    """Whether its lease is free, or kept by somebody who does something."""
    if run.status != states.RUNNING or run.lease_until is None:
        return Answer(ok=True, said=_("Its lease is free."), at=clock.now())
    late = stuck.late(run)
    left = (run.lease_until - clock.now()).total_seconds()
    if left <= 0:
        said = _("Its lease ran out, and nobody has given it away: that is what the sweeper does.")
        return Answer(ok=False, said=said, at=run.lease_until)
    told = {"node": run.next_node, "ago": _renewed(left)}
    if late is None or not late.is_stuck:
        said = _("A worker is at the node %(node)s and renewed its lease %(ago)s.") % told
        return Answer(ok=True, said=said, at=late.since if late else None)
    told["expected"] = moments.span(late.expected)
    said = _(
        "A worker renewed its lease %(ago)s and has committed nothing at the node %(node)s for"
        " longer than the %(expected)s expected of it."
    )
    url = place("revoke_run", run.tenant, run.pk)
    return against(said % told, late.since, _("Revoke it from that worker"), url)


def slot(run: Run) -> Answer:
    """Whether its tenant may have one more run under way."""
    most = settings.KEDGE_TENANT_SLOTS
    leased = Run.objects.filter(tenant=run.tenant_id, status=states.RUNNING)
    n = leased.values("pk")[: most + 1].count()
    told = {"n": count(n, most), "most": count(most)}
    said = _("%(n)s of %(most)s runs of this tenant are under way.") % told
    ok = n < most or run.status == states.RUNNING
    return Answer(ok, said, clock.now(), "" if ok else _("It goes on when one of them lets go."))


def approval(run: Run) -> Answer:
    """Whether an answer of people is waited for."""
    asked = ApprovalRequest.objects.filter(run=run, state=permission.OPEN)
    found = asked.values_list("pk", "asked_at").first()
    if found is None:
        return Answer(ok=True, said=_("No question of it is open."), at=clock.now())
    url = place(REQUEST, run.tenant, found[0])
    return against(_("A question of it waits for people."), found[1], _("See it"), url)


def _renewed(left: float) -> str:
    ago = max(settings.KEDGE_LEASE_SECONDS - left, 0)
    return _("%(span)s ago") % {"span": moments.span(ago)}
