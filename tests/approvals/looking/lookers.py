"""Who looks in tests: says what a test wants said, and keeps what it was shown."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from approvals.looking import asking, turns
from approvals.looking.port import Answered, NoUsableAnswerError
from approvals.looking.turns import Turn
from approvals.models import ApprovalRequest, SecondLook
from approvals.rules import Requirement
from approvals.rules.secondlooks import ACKNOWLEDGE, SHOW
from tests.approvals.asking import asked_about, git_diff
from tests.approvals.questions import ONE

NOTHING: Final[dict[str, Any]] = {"outcome": "nothing_noticed", "remarks": []}
LOOKED_AT: Final = Requirement(**{**vars(ONE), "second_look": SHOW})
SEEN_FIRST: Final = Requirement(**{**vars(ONE), "second_look": ACKNOWLEDGE})


@dataclass
class Says:
    """A looker that says one thing after the other, the last one again and again."""

    says: list[Any]
    prompt_digest: str = "b" * 64
    shown: list[str] = field(default_factory=list)

    def model(self) -> str:
        return "small-1 at models.example"

    def ask(self, content: str, schema: Mapping[str, Any]) -> Answered:
        self.shown.append(content)
        said = self.says.pop(0) if len(self.says) > 1 else self.says[0]
        if isinstance(said, Exception):
            raise said
        value = said(content) if callable(said) else said
        return Answered(value, 100, 10)


def remark(path: str, quote: str, kind: str = "touches_secrets") -> Callable[[str], dict[str, Any]]:
    """Points at the first shown line of a part in which these words stand."""

    def says(content: str) -> dict[str, Any]:
        lines = content[content.index(f"part {path}\n") :].split("\n")[1:]
        number = next(line.partition("|")[0] for line in lines if quote in line)
        said = {"kind": kind, "path": path, "line": int(number), "quote": quote}
        return {"outcome": "look_here", "remarks": [said]}

    return says


def asked(requirement: Requirement = SEEN_FIRST, **more: Any) -> ApprovalRequest:
    """An open question at which a model is to look."""
    diff = more.pop("diff", git_diff(3))
    return asked_about(diff, requirement=requirement, **more)


def turn_of(request: ApprovalRequest) -> Turn:
    """The claimed turn of a request."""
    (turn,) = [t for t in turns.claim(room=50, a_minute=50) if t.request_id == request.pk]
    return turn


def look_at(request: ApprovalRequest, *says: Any) -> SecondLook:
    """What a looker that says this leaves behind."""
    asking.take(turn_of(request), Says(list(says)))
    return SecondLook.objects.get(request=request)


def unusable(said: str = "it sang") -> NoUsableAnswerError:
    return NoUsableAnswerError(said, prompt_tokens=100, completion_tokens=10)
