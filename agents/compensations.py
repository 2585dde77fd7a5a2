"""How effects are undone: for each tool the task type that takes one back, under its own approval."""

from typing import Any, Final

from agents.refund_desk.systems import BOOK
from agents.tools.git.tool import GitPush
from reconciliation.tools import Compensation, Followed

Json = Any

LONGEST_WHY: Final = 500  # characters, by the input schemas of these task types


def _revert_change(followed: Followed) -> dict[str, Json]:
    return {
        "repository": followed.parameters["remote"],
        "commit": followed.parameters["commit"],
        "action_id": followed.action_id,
        "why": followed.why[:LONGEST_WHY],
    }


def _revert_refund(followed: Followed) -> dict[str, Json]:
    return {"action_id": followed.action_id, "why": followed.why[:LONGEST_WHY]}


COMPENSATIONS: Final[dict[str, Compensation]] = {
    GitPush.name: Compensation("revert_change", _revert_change),
    BOOK: Compensation("revert_refund", _revert_refund),
}
