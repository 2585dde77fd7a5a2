"""Whether what is shown of a request agrees with its bytes; what does not, nobody approves."""

from functools import lru_cache

from approvals.errors import ContradictoryDiffError
from approvals.models import ApprovalRequest
from approvals.showing import coverage, filepages
from approvals.showing import values as showing
from approvals.showing.values import Content
from canonical.agreement import Contradiction


def refuse_if_contradictory(request: ApprovalRequest) -> None:
    """Raises `ContradictoryDiffError` when what people see is at odds with the bytes."""
    found = of(Content.of(bytes(request.diff)), request.diff_media)
    if found is not None:
        raise ContradictoryDiffError(request.pk, found)


@lru_cache(maxsize=4)
def of(diff: Content, media: str) -> Contradiction | None:
    """How a diff is at odds with itself; None when it is not, and when it is shown as plain text.

    Remembered by digest: the content behind a digest never changes.
    """
    if media == coverage.JSON:
        return showing.contradiction(diff.content)
    about = filepages.outline(diff) if media == coverage.DIFF else None
    found = (entry.contradicts for entry in about.entries) if about is not None else ()
    return next((each for each in found if each is not None), None)
