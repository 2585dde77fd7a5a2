"""How far a tenant's tools can be undone, as its page shows it: who said so, what it means, what a
change would ask anew."""

from dataclasses import dataclass
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from approvals import states
from approvals.models import ToolClass
from approvals.people import reversibility, toolnames
from approvals.rules.classes import CLASSES, COMPENSABLE, IRREVERSIBLE, REVERSIBLE, danger
from tenants import amounts
from tenants.models import Tenant

NAMES: Final[dict[str, str | Promise]] = {
    REVERSIBLE: _("Can be undone"),
    COMPENSABLE: _("Can be set right"),
    IRREVERSIBLE: _("Cannot be undone"),
}
MEANS: Final[dict[str, str | Promise]] = {
    REVERSIBLE: _("As if it had not been. A rule may let it pass without a person."),
    COMPENSABLE: _(
        "By another effect; what it did was seen. A rule may let it pass without a person."
    ),
    IRREVERSIBLE: _(
        "A yes takes a fresh proof that it is you and having opened all that is shown. No rule lets"
        " it pass."
    ),
}
MILDER: Final = _(
    "What waits for a yes stays as it was asked. From the next question on the rules may ask less."
)
NOTHING: Final = _("Nothing that waits will be asked anew.")


@dataclass(frozen=True)
class Line:
    """One tool: its class, its name on screen and meaning, and who said so (None: nobody yet)."""

    tool: str
    reversibility: str
    said: ToolClass | None

    @property
    def name(self) -> str:
        return str(NAMES[self.reversibility])

    @property
    def means(self) -> str:
        return str(MEANS[self.reversibility])


@dataclass(frozen=True)
class Preview:
    """What saying `to` of a tool would change: sentences, and the class that was shown."""

    tool: str
    seen: str
    to: str
    follows: list[str]

    @property
    def name(self) -> str:
        return str(NAMES[self.to])

    @property
    def was(self) -> str:
        return str(NAMES[self.seen])

    @property
    def means(self) -> str:
        return str(MEANS[self.to])


def lines(tenant: Tenant) -> list[Line]:
    """Every tool the tenant can meet, by name."""
    said = {each.tool: each for each in reversibility.classes_of(tenant)}
    return [
        Line(tool, said[tool].reversibility if tool in said else IRREVERSIBLE, said.get(tool))
        for tool in toolnames.known(tenant)
    ]


def history(tenant: Tenant) -> list[Line]:
    """All that was said, newest first."""
    return [Line(each.tool, each.reversibility, each) for each in reversibility.said_at(tenant)]


def choices() -> list[tuple[str, str]]:
    """The classes as a select shows them, the mildest first."""
    return [(each, str(NAMES[each])) for each in CLASSES]


def preview(tenant: Tenant, tool: str, to: str) -> Preview:
    """What would change if somebody said this class of the tool now."""
    seen = reversibility.class_of(tenant.pk, tool)
    return Preview(tool, seen, to, _follows(tenant, tool, seen, to))


def _follows(tenant: Tenant, tool: str, seen: str, to: str) -> list[str]:
    if danger(to) < danger(seen):
        return [str(MILDER)]
    counts = reversibility.asked_anew(tenant.pk, tool, to)
    asked, given = counts[states.OPEN], counts[states.APPROVED]
    if not asked and not given:
        return [str(NOTHING)]
    told = []
    if asked:
        said = ngettext(
            "%(n)s open question will be asked anew.",
            "%(n)s open questions will be asked anew.",
            asked,
        )
        told.append(said % {"n": amounts.count(asked, reversibility.COUNTED_TO)})
    if given:
        said = ngettext(
            "%(n)s approval that is not used yet counts no more: it is asked anew.",
            "%(n)s approvals that are not used yet count no more: they are asked anew.",
            given,
        )
        told.append(said % {"n": amounts.count(given, reversibility.COUNTED_TO)})
    return told
