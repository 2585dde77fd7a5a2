"""Which parameters of a tool are words for people: runs that differ in them alone have the same effect."""

from typing import Final

from agents.refund_desk.systems import ANSWER
from agents.tools.git.tool import GitPush
from agents.tools.mail.tool import SendMail
from reconciliation.tools import Wording

WORDINGS: Final[dict[str, Wording]] = {
    # A commit is named by all that is in it, its message too; what it changes is what its diff shows.
    GitPush.name: Wording(("/commit", "/pack/$blob", "/pack/size"), diff_is_bare=True),
    SendMail.name: Wording(("/subject", "/body")),
    ANSWER: Wording(("/answer",)),
}
