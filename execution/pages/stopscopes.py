"""What can be stopped from a tenant's page by this person, and how a page says it."""

from dataclasses import replace
from typing import Final

from django.utils.translation import gettext as _

from checkpoints import stopright
from checkpoints.models import Combo
from checkpoints.pages.forms import task_types, title_of
from checkpoints.registry import agents
from checkpoints.scopes import Scope
from tenants.models import Tenant, User

HERE: Final = "here"
EVERYWHERE: Final = "everywhere"
MOST_COMBOS: Final = 30

# Value and label; in groups as a select shows them.
Group = tuple[str, list[tuple[str, str]]]


def may_everywhere(user: User) -> bool:
    """Whether this person may stop and lift what holds for every tenant."""
    return bool(user.pk and stopright.who_may(None, [user.pk]))


def choices(tenant: Tenant, *, everywhere: bool) -> list[Group]:
    """What can be stopped, in groups; `everywhere` adds the same for every tenant."""
    groups = [(tenant.name, _things(HERE, _("Everything at %(name)s") % {"name": tenant.name}))]
    if everywhere:
        groups.append((_("Every tenant"), _things(EVERYWHERE, _("Everything, at every tenant"))))
    return groups


def scope_of(value: str, tenant: Tenant) -> Scope:
    """What a choice means. Raises `Combo.DoesNotExist`, ValueError for what is no choice."""
    where, _colon, thing = value.partition(":")
    if where not in (HERE, EVERYWHERE):
        raise ValueError(value)
    scope = Scope(tenant if where == HERE else None)
    kind, _colon, name = thing.partition(":")
    if kind == "task":
        return replace(scope, task_type=name)
    if kind == "tool":
        return replace(scope, tool=name)
    if kind == "combo":
        return replace(scope, combo=Combo.objects.defer("manifest").get(pk=int(name)))
    return scope


def what(scope: Scope, lock: str) -> str:
    """What a stop of this scope holds back: the beginning of a sentence."""
    effects, names = lock == "effects", {"tool": scope.tool, "combo": str(scope.combo)}
    if scope.task_type:
        names["task"] = title_of(scope.task_type)
        told = _("Effects of “%(task)s”") if effects else _("New runs of “%(task)s”")
    elif scope.tool:
        told = _("Effects with %(tool)s") if effects else _("New runs that may use %(tool)s")
    elif scope.combo:
        told = _("Effects of the combo %(combo)s") if effects else _("New runs of %(combo)s")
    else:
        told = _("Effects") if effects else _("New runs")
    return told % names


def _things(where: str, everything: str) -> list[tuple[str, str]]:
    combo, titles = _("The combo %(combo)s of “%(title)s”"), dict(task_types())
    return [
        (where, everything),
        *(
            (f"{where}:task:{name}", _("The task “%(title)s”") % {"title": title})
            for name, title in titles.items()
        ),
        *((f"{where}:tool:{tool}", _("The tool %(tool)s") % {"tool": tool}) for tool in _tools()),
        *(
            (
                f"{where}:combo:{each.pk}",
                combo % {"combo": each, "title": titles.get(each.task_type, each.task_type)},
            )
            for each in _combos()
        ),
    ]


def _tools() -> list[str]:
    graphs = agents().GRAPHS.values()
    return sorted({tool for graph in graphs for tool in graph.manifest.tools})


def _combos() -> list[Combo]:
    return list(Combo.objects.defer("manifest").order_by("-pk")[:MOST_COMBOS])
