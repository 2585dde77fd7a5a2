"""What can go wrong with permission. The docstring is the sentence an operator reads."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from approvals.hashing import Difference


class ApprovalError(Exception):
    """The permission was refused."""


class QuestionRefusedError(ApprovalError):
    """The question does not match what its hash is bound to; nobody was asked."""


class NotPermittedError(ApprovalError):
    """You may not decide this. Nothing was changed.

    `code`: *machine* (only a signed-in person decides), *no_right* (not active, or without the
    right at this tenant), *own_run* (nobody approves what they started themselves), *own_edit* (or what
    they wrote), *not_asked* (the rules ask for other people), *not_shown* (without the right to see it).
    """

    def __init__(self, code: str, request_id: UUID) -> None:
        super().__init__(f"request {request_id}: {code}")
        self.code = code
        self.request_id = request_id


class CannotTakeItError(ApprovalError):
    """This colleague cannot decide it, or has answered it already: choose somebody else."""

    def __init__(self, request_id: UUID, colleague: str) -> None:
        super().__init__(f"request {request_id}: not for {colleague}")
        self.request_id = request_id
        self.colleague = colleague


class ReasonMissingError(ApprovalError):
    """Say why: a rejection, a return or a withdrawal needs a reason."""


class HashMismatchError(ApprovalError):
    """What would happen has changed since your page was shown. Look again, then decide.

    `request_id` is the request that stands now; `differences` say field by field what the page
    showed and what is true now (empty when nobody was ever shown the posted hash).
    """

    def __init__(self, request_id: UUID, differences: Sequence[Difference]) -> None:
        fields = ", ".join(difference.field for difference in differences) or "unknown hash"
        super().__init__(f"request {request_id}: {fields}")
        self.request_id = request_id
        self.differences = tuple(differences)


class MovedError(HashMismatchError):
    """The newest dry run shows something else than your page. It is asked anew before anybody decides.

    `files` names those about which the two diffs differ, None when they are not diffs of files.
    """

    def __init__(
        self, request_id: UUID, differences: Sequence[Difference], files: Sequence[str] | None
    ) -> None:
        super().__init__(request_id, differences)
        self.files = None if files is None else tuple(files)


class AlreadyDecidedError(ApprovalError):
    """This was decided already.

    `state` is what became of the request, `by` who did it ("" for the clock), `at` when.
    """

    def __init__(self, request_id: UUID, *, state: str, by: str, at: datetime | None) -> None:
        when = f" at {at.isoformat()}" if at else ""
        super().__init__(f"request {request_id}: {state} by {by or 'the clock'}{when}")
        self.request_id = request_id
        self.state = state
        self.by = by
        self.at = at


class DamagedRequestError(ApprovalError):
    """The request as stored is not the one that was asked. Nobody may decide it.

    `differences` name the bound fields for which something else is stored; empty when the stored
    bytes cannot be read at all.
    """

    def __init__(self, said: str, differences: Sequence[Difference] = ()) -> None:
        fields = ", ".join(difference.field for difference in differences)
        super().__init__(f"{said}: {fields}" if fields else said)
        self.differences = tuple(differences)


class NotApprovedError(ApprovalError):
    """No valid approval covers this effect; nothing was sent.

    `code` is the reason: *no_request*, *open*, *rejected*, *sent_back*, *expired*, *withdrawn*,
    *used*, *never_used*, *hash_differs*, *too_few_approvers*, *damaged*.
    """

    def __init__(self, code: str, action_id: UUID) -> None:
        super().__init__(f"action {action_id}: {code}")
        self.code = code
        self.action_id = action_id


class ProofNeededError(ApprovalError):
    """Confirm that it is you first: what this allows needs a proof of the last ten minutes.

    Nothing was decided. `request_id` is the request.
    """

    def __init__(self, request_id: UUID) -> None:
        super().__init__(f"request {request_id}: no fresh proof")
        self.request_id = request_id


class RemarksUnseenError(ApprovalError):
    """A second look has remarks that you have not marked as seen. Read them, then decide.

    Nothing was decided. `remarks` is how many there are.
    """

    def __init__(self, request_id: UUID, remarks: int) -> None:
        super().__init__(f"request {request_id}: {remarks} remarks not seen")
        self.request_id = request_id
        self.remarks = remarks


class UnopenedError(ApprovalError):
    """You have not opened everything that you would allow. Open the rest, then decide.

    `left` names the parts as `approvals.showing.coverage` does, `said` is how many the person said
    they decide without; `why_all` is "" when they may, by saying the right number.
    """

    def __init__(self, request_id: UUID, left: Sequence[str], *, why_all: str, said: int) -> None:
        super().__init__(f"request {request_id}: {len(left)} not opened, {said} said")
        self.request_id = request_id
        self.left = tuple(left)
        self.why_all = why_all
        self.said = said


class ClassProofNeededError(ApprovalError):
    """Confirm that it is you first: saying what a tool is needs a proof of the last ten minutes."""


class ClassMovedError(ApprovalError):
    """Somebody has said another class of this tool since your page was shown. Look again."""


class ContradictoryDiffError(ApprovalError):
    """What the dry run shows is at odds with the bytes it is about, so nobody may approve it.

    Reject it or send it back. `code` is "silent" (the bytes differ and nothing is shown) or "idle"
    (a change is shown and the bytes are equal).
    """

    def __init__(self, request_id: UUID, code: str) -> None:
        super().__init__(f"request {request_id}: the diff is {code}")
        self.request_id = request_id
        self.code = code
