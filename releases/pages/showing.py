"""What the page of one release shows: where it stands, its gates, the move that waits, what was."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.http import Http404
from django.utils.translation import gettext as _

from checkpoints.models import Combo, Route
from checkpoints.pages.forms import task_types, title_of
from execution.pages.people import may
from releases import demands, moving
from releases.beginning import RIGHT, standing_of
from releases.charts import reading as charts
from releases.combos import differences
from releases.combos.differences import Differences
from releases.combos.reading import manifest_of
from releases.gates import standing
from releases.impact import reading as impact
from releases.impact import telling as impact_in_words
from releases.impact.judging import UNTOLD
from releases.models import Move, Release
from releases.overrides import setting
from releases.overrides.forms import SendForm
from releases.pages import history, telling
from releases.pages.forms import MoveForm
from releases.rollbacks import reading as rollbacks
from releases.shadows import reading as shadows
from releases.shadows import telling as twins_in_words
from releases.usual import showing as usual
from tenants.models import Tenant
from tenants.scope import TenantRequest

ROWS: Final = 50


@dataclass(frozen=True)
class Asked:
    """What somebody asked of the page, if it was refused: the form as they filled it in, and why."""

    form: MoveForm | None = None
    wrong: str = ""

    @property
    def is_refused(self) -> bool:
        return bool(self.wrong or (self.form is not None and self.form.is_bound))


def context(request: TenantRequest, release: Release, asked: Asked) -> dict[str, Any]:
    """All of it. What is missing for a move is read only for who can do something about it."""
    waiting = _open_moves(release).first()
    mine = request.access.may(release.tenant_id, RIGHT)
    kinds = kinds_of(release) if mine and waiting is None else []
    moves = history.of_release(release)
    return {
        "release": release,
        "pill": telling.PILLS[release.place],
        "told": telling.sentence(release),
        "wrong": asked.wrong,
        "waiting": waiting and _waiting(waiting, request),
        "form": asked.form or (MoveForm(kinds) if kinds else None),
        "lacking": {telling.follows(kind): demands.lacking(release, kind) for kind in kinds},
        "moves": moves,
        "shares": history.drawn(release, moves),
        "gates": charts.gates(release),
        "policy": usual.of_release(release),
        "differences": between(release.stable, release.candidate),
        "by_hand": setting.in_force(release.tenant_id, release.task_type),
        "impact": _impact(release, waiting),
        "may": mine,
        "who": may(release.tenant, RIGHT, request.user),
        "twins": twins_in_words.line(shadows.kinds(release)),
        "rollback_offer": rollbacks.standing(release),
        "section": "releases",
    }


def of_task(request: TenantRequest, tenant: Tenant, task_type: str) -> dict[str, Any]:
    """A task type of a tenant. Raises Http404 where nothing was ever released and nothing runs."""
    related = Release.objects.select_related("tenant", "candidate", "stable", "begun_by")
    light = related.defer("candidate__manifest", "stable__manifest")
    found = list(light.filter(tenant=tenant, task_type=task_type).order_by("-number")[:ROWS])
    route = Route.objects.filter(tenant=tenant, task_type=task_type)
    arms = route.select_related("stable", "candidate").first()
    if not found and arms is None and task_type not in dict(task_types()):
        raise Http404("nothing of that name is released here")
    listed = of_each(found)
    newest = found[0] if found else None
    return {
        "task_type": task_type,
        "task": title_of(task_type),
        "route": arms,
        "shares_now": arms and telling.shares(arms),
        "release": newest,
        "pill": newest and telling.PILLS[newest.place],
        "told": listed and listed[0][2],
        "differences": newest and between(newest.stable, newest.candidate),
        "gates": newest and charts.gates(newest),
        "moves": history.of_task(tenant.pk, task_type),
        "releases": listed,
        "by_hand": setting.in_force(tenant.pk, task_type),
        "send": SendForm() if arms and request.access.may(tenant.pk, RIGHT) else None,
        "section": "releases",
    }


def of_each(releases: Sequence[Release]) -> list[tuple[Release, str, str]]:
    """Releases with the pill of each, and where it stands in words; one query for all of them."""
    going_back = rollbacks.under_way(releases)
    return [
        (each, telling.PILLS[each.place], going_back.get(each.pk) or telling.sentence(each))
        for each in releases
    ]


def kinds_of(release: Release) -> list[str]:
    """The moves by people that lead on from where it stands."""
    here = standing_of(release)
    return [kind for kind in moving.BY_PEOPLE if standing.may(here, kind, by_person=True)]


def between(old: Combo, new: Combo) -> Differences:
    """What differs between two combos, in words."""
    return differences.between(manifest_of(old), manifest_of(new))


def _impact(release: Release, waiting: Move | None) -> dict[str, Any] | None:
    """What the move that waits means for what waits; of a canary without one, what a promotion would."""
    kind = standing.PROMOTE if waiting is None and release.place == standing.CANARY else ""
    kind = waiting.kind if waiting else kind
    if kind not in impact.MOVES:
        return None
    now = impact.of_move(release, kind)
    counts, then = now.as_json(), waiting.beside if waiting else {}
    return {
        "title": _("What it means for what waits") if waiting else _("What a promotion would mean"),
        "now": now,
        "questions": impact_in_words.questions(counts["questions"]),
        "runs": impact_in_words.runs(counts["runs"]),
        "untold": counts["questions"][UNTOLD] or counts["runs"][UNTOLD],
        "then": waiting
        and then
        and {
            "questions": impact_in_words.questions(then["questions"]),
            "runs": impact_in_words.runs(then["runs"]),
            "at": waiting.proposed_at,
        },
    }


def _open_moves(release: Release) -> Any:
    return release.moves.filter(ended="").select_related("proposed_by", "made_by")


def _waiting(move: Move, request: TenantRequest) -> dict[str, Any]:
    seconds = move.orders.filter(said="second").select_related("user").first()
    return {
        "move": move,
        "leads": telling.of_move(move),
        "button": telling.button(move),
        "second": seconds.user if seconds else None,
        "is_mine": move.proposed_by_id == request.user.pk,
        "was_second": seconds is not None and seconds.user_id == request.user.pk,
    }
