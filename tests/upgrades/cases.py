"""The runs of a stored database: how each stood when it was stored, and how it was brought there."""

from dataclasses import dataclass
from typing import Final

from tests.upgrades.registry import LOOK_UP, NOTHING, VOID

TOKEN: Final = "a token of the stored runs: 42+ä"


@dataclass(frozen=True)
class Stored:
    """`kill_at`: the boundary at which its worker died. `approved`: whether somebody said yes.

    `lost`: the tool's answer was lost. `stands`: status and reason when it was stored. `done`: how
    many effects the world had of it then.
    """

    name: str
    tool: str = VOID
    secret: bool = False
    approved: bool = False
    goes_on: bool = True
    kill_at: str = ""
    lost: bool = False
    stands: tuple[str, str] = ("waiting", "for_approval")
    done: int = 0

    @property
    def content(self) -> dict[str, str]:
        """Its input."""
        return {"tool": self.tool, "what": self.name, **({"token": TOKEN} if self.secret else {})}


RUNNING: Final = ("running", "working")
CASES: Final = (
    Stored("paused before its question is answered"),
    Stored("running, its worker dead while it computed", kill_at="commit:after@2", stands=RUNNING),
    Stored(
        "running, its worker dead before the call",
        approved=True,
        kill_at="dispatch:after@1",
        stands=RUNNING,
    ),
    Stored(
        "running, its worker dead after the effect",
        approved=True,
        kill_at="effect:after@1",
        stands=RUNNING,
        done=1,
    ),
    Stored(
        "unknown to a tool that can only look up",
        tool=LOOK_UP,
        approved=True,
        kill_at="effect:after@1",
        stands=RUNNING,
        done=1,
    ),
    Stored(
        "unknown to everybody",
        tool=NOTHING,
        approved=True,
        lost=True,
        stands=("held", "outcome_unknown"),
        done=1,
    ),
    Stored("encrypted and paused", secret=True),
    Stored(
        "encrypted and unknown",
        secret=True,
        approved=True,
        kill_at="effect:after@1",
        stands=RUNNING,
        done=1,
    ),
    Stored("done", approved=True, stands=("succeeded", ""), done=1),
    # The last: whoever takes a turn after it would use its yes.
    Stored(
        "paused with a yes that is not used",
        approved=True,
        goes_on=False,
        stands=("queued", "woken"),
    ),
)
BY_NAME: Final = {each.name: each for each in CASES}
