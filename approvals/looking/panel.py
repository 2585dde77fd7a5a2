"""The panel of a second look: who looked at which hash and when, what to look at, and what it is not."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy, ngettext

from approvals import judging, states
from approvals.drift import moving as drift
from approvals.errors import DamagedRequestError, NotPermittedError
from approvals.looking import answers, port
from approvals.looking.viewing import CHANGE, FACTS, PARAMETERS
from approvals.models import ApprovalRequest
from approvals.models.secondlooks import (
    FAILED,
    LOOK_HERE,
    NOTHING_NOTICED,
    UNUSABLE,
    SecondLook,
    SecondLookTurn,
    SeenRemarks,
)
from approvals.pages import unopened
from approvals.rules import secondlooks
from canonical import json as canonical
from tenants.actors import Actor
from tenants.amounts import count
from tenants.models import User

# What there is to say while nothing is recorded.
NOBODY: Final = "nobody"
WAITING: Final = "waiting"
TRYING: Final = "trying"
NEVER: Final = "never"

KINDS: Final[dict[str, str | Promise]] = {
    "touches_secrets": gettext_lazy("touches secrets"),
    "widens_permissions": gettext_lazy("widens permissions"),
    "deletes_data": gettext_lazy("deletes data"),
    "unrelated_to_summary": gettext_lazy("not what the summary says"),
    "hides_characters": gettext_lazy("hides characters"),
    "magnitude_unusual": gettext_lazy("an unusual size"),
    "instructions_in_content": gettext_lazy("instructions in the content"),
}
PARTS: Final[dict[str, str | Promise]] = {
    FACTS: gettext_lazy("the facts"),
    CHANGE: gettext_lazy("the change"),
    PARAMETERS: gettext_lazy("the parameters"),
}

TITLES: Final[dict[str, str | Promise]] = {
    LOOK_HERE: gettext_lazy("Look here before you decide."),
    NOTHING_NOTICED: gettext_lazy("It noticed nothing. That is no reason to read less."),
    UNUSABLE: gettext_lazy("It gave no usable answer. Decide without it."),
    FAILED: gettext_lazy("The second look failed. Decide without it."),
    NOBODY: gettext_lazy("Nothing looked at this: no model is configured. Decide without it."),
    WAITING: gettext_lazy("A model is being asked. Nobody has to wait for it."),
    TRYING: gettext_lazy("It has not come about so far and is tried again. Decide without it."),
    NEVER: gettext_lazy("Nothing looked at this."),
}


@dataclass(frozen=True)
class Shown:
    """One remark as the panel shows it. `place` and `quote` are "" for who may not read the change."""

    kind: str
    place: str
    line: int | None
    was: bool
    url: str
    quote: str


@dataclass(frozen=True)
class Panel:
    """What a page says of the second look at one request.

    `state` is an outcome, or one of the words above. `may_see`: this person is to mark its remarks
    as seen before a yes; `seen_at` is when they did. `moved`: the world is not what was looked at.
    `late`: it came when the question was closed. `polls`: there may be news.
    """

    state: str
    look: SecondLook | None
    error: str
    remarks: list[Shown]
    not_shown: str
    may_see: bool
    seen_at: datetime | None
    moved: bool
    late: bool
    polls: bool

    @property
    def title(self) -> str:
        """What it comes to, in one sentence."""
        return str(TITLES[self.state])

    @property
    def unseen(self) -> int:
        """How many remarks this person must still mark as seen before they approve."""
        return len(self.remarks) if self.may_see else 0


def of(asked: ApprovalRequest, user: User, *, reads: bool) -> Panel | None:
    """The panel of a request; None when its rules ask for no second look."""
    try:
        wanted = judging.demands(asked).second_look
    except DamagedRequestError:
        return None
    if not wanted:
        return None
    look = SecondLook.objects.filter(request=asked).first()
    turn = None if look else SecondLookTurn.objects.filter(request=asked).first()
    state = look.outcome if look else _without(asked, turn)
    seen_at = _seen_at(look, user) if look else None
    must = wanted == secondlooks.ACKNOWLEDGE and state == LOOK_HERE and seen_at is None
    return Panel(
        state=state,
        look=look,
        error=turn.error if turn and state == TRYING else "",
        remarks=_remarks(asked, look, reads=reads) if look else [],
        not_shown=_not_shown(look.left_out) if look else "",
        may_see=must and reads and _decides(asked, user),
        seen_at=seen_at,
        moved=look is not None and _has_moved(asked),
        late=bool(look and asked.closed_at and look.at > asked.closed_at),
        polls=state in (WAITING, TRYING),
    )


def _without(asked: ApprovalRequest, turn: SecondLookTurn | None) -> str:
    if turn is None or turn.due_at is None or asked.state != states.OPEN:
        return NEVER
    if port.looker() is None:
        return NOBODY
    return TRYING if turn.error else WAITING


def _has_moved(asked: ApprovalRequest) -> bool:
    told = drift.told(asked)
    return told is not None and told.moved


def _decides(asked: ApprovalRequest, user: User) -> bool:
    """The verb's own judgement: nobody else is asked to look closer."""
    try:
        judging.admit(asked, actor=Actor.person(user), user=user)
    except NotPermittedError:
        return False
    return asked.state == states.OPEN


def _seen_at(look: SecondLook, user: User) -> datetime | None:
    seen = SeenRemarks.objects.filter(look=look, user=user)
    return seen.values_list("at", flat=True).first()


def _remarks(asked: ApprovalRequest, look: SecondLook, *, reads: bool) -> list[Shown]:
    found: list[dict[str, Any]] = canonical.loads(bytes(look.remarks))  # type: ignore[assignment]
    return [_shown(asked, each, reads=reads) for each in found[: answers.MOST_REMARKS]]


def _shown(asked: ApprovalRequest, remark: dict[str, Any], *, reads: bool) -> Shown:
    kind = str(KINDS.get(remark["kind"], remark["kind"]))
    if not reads:
        return Shown(kind, "", None, was=False, url="", quote="")
    was = remark["new"] is None and remark["old"] is not None
    return Shown(
        kind=kind,
        place=str(PARTS.get(remark["path"], remark["path"])) if _is_own(remark) else remark["path"],
        line=remark["old"] if was else remark["new"],
        was=was,
        url=unopened.link(asked, remark["part"])[1] if remark["part"] else "",
        quote=remark["quote"],
    )


def _not_shown(left_out: dict[str, int]) -> str:
    """What did not fit into the text that the model was given."""
    parts, lines, cut = (left_out.get(name, 0) for name in ("parts", "lines", "characters"))
    told = [
        (parts, ngettext("%(n)s whole part", "%(n)s whole parts", parts)),
        (lines, ngettext("%(n)s line", "%(n)s lines", lines)),
        (cut, ngettext("%(n)s character of long lines", "%(n)s characters of long lines", cut)),
    ]
    return ", ".join(words % {"n": count(n)} for n, words in told if n)


def _is_own(remark: dict[str, Any]) -> bool:
    """Whether its part is one of ours: a file may have the name of one."""
    return not str(remark["part"]).startswith("file/")
