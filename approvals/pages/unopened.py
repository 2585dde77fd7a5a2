"""What is left to open before a yes, as pages say it: how many, the first few with their pages."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from approvals.models import ApprovalRequest
from approvals.showing import coverage, opening
from approvals.showing.coverage import Coverage
from approvals.showing.viewing import Look
from canonical import display
from tenants.amounts import count

WHY_ALL: Final[dict[str, str | Promise]] = {
    opening.BY_CLASS: gettext_lazy(
        "It cannot be undone here, so all of it must be opened before a yes."
    ),
    opening.BY_RULE: gettext_lazy("A rule says that all of it must be opened before a yes."),
}
FEW: Final = 2
LONGEST_NAME: Final = 200  # bytes of page


@dataclass(frozen=True)
class Unopened:
    """What a person has not opened. `first` are names and pages of some, `more` counts the others.

    `why_all` is "" when they may decide without it (see `approvals.showing.opening`); `all_url` is
    the page on which as much as possible is open at once.
    """

    count: int
    first: list[tuple[str, str]]
    more: int
    why_all: str
    all_url: str


def of(asked: ApprovalRequest, covered: Coverage | None) -> Unopened | None:
    """What is left of a request; None when nothing is, or when it may not be read at all."""
    if covered is None or covered.is_whole:
        return None
    return named(asked, covered.left, opening.why_all(asked))


def named(asked: ApprovalRequest, left: Sequence[str], why_all: str) -> Unopened:
    """The same for names of parts, as `UnopenedError` carries them."""
    return Unopened(
        count=len(left),
        first=[link(asked, name) for name in left[:FEW]],
        more=max(0, len(left) - FEW),
        why_all=why_all,
        all_url=_page(asked) + Look(whole=True).address(),
    )


def sentence(asked: ApprovalRequest, left: Sequence[str], why_all: str) -> str:
    """Why a yes was not counted, in words that need no links: for results and for the record."""
    told = ngettext(
        "%(n)s part of what you would allow was not opened by you, so your yes was not counted",
        "%(n)s parts of what you would allow were not opened by you, so your yes was not counted",
        len(left),
    ) % {"n": count(len(left))}
    names = ", ".join(display.visible(name) for name, _url in named(asked, left, why_all).first)
    and_more = _(" and %(n)s more") % {"n": count(len(left) - FEW)} if len(left) > FEW else ""
    return f"{told}: {names}{and_more}. {WHY_ALL.get(why_all, '')}".strip()


def link(asked: ApprovalRequest, name: str) -> tuple[str, str]:
    """The name of a part in words, and the page that shows it."""
    *kinds, number = name.split("/")
    part = f"?part={number}" if number != "1" else ""
    if kinds[0] == "file":
        about = coverage.outline_by_id(asked.pk)
        file = about.entries[int(kinds[1]) - 1].file.name if about is not None else kinds[1]
        return display.fit(file, LONGEST_NAME).text, _place(
            asked, "file_lines", int(kinds[1])
        ) + part
    if kinds[-1] == "whole":
        told = _("the long value %(n)s") if kinds[0] == "values" else _("the long parameter %(n)s")
        return told % {"n": number}, _place(asked, "value", kinds[0], int(number))
    if kinds[0] == "parameters":
        told = _("the parameters") if number == "1" else _("the parameters, part %(n)s")
        return told % {"n": number}, _place(asked, "parameters") + part
    return _("part %(n)s of the change") % {"n": number}, f"{_page(asked)}{part}#change"


def _page(asked: ApprovalRequest) -> str:
    return _place(asked, "request")


def _place(asked: ApprovalRequest, name: str, *more: object) -> str:
    return reverse(f"approvals:{name}", args=[asked.tenant.slug, asked.pk, *more])
