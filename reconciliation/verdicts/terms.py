"""What a person says who decides: the verdict, why, and on what evidence."""

import re
from dataclasses import dataclass, field, replace
from typing import Any, Final
from uuid import UUID

from django.utils.functional import Promise

from canonical import digests
from canonical.redaction import Fact, Redacted
from checkpoints import knowing
from checkpoints.models import Case, Run
from reconciliation.errors import VerdictRefusedError
from reconciliation.models import Action, Receipt
from tenants.keys import hiding
from tenants.models import User

MOST_HEARD: Final = 20  # receipts of an action that are read for what people might quote
LINK: Final = re.compile(r"https?://[^\s<>\"']+", re.IGNORECASE)
DIGEST: Final = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class Choice:
    """One verdict: its name, the words on its button, what follows, and whether it needs proof."""

    verdict: str
    label: str | Promise
    follows: str | Promise
    needs_evidence: bool = False
    needs_seq: bool = False


@dataclass(frozen=True)
class Seen:
    """Where the evidence was seen, and who says so; each may be empty.

    `file_digest` is the SHA-256 (hex) of a file that stays with whoever has it.
    """

    reference: str = ""
    link: str = ""
    file_digest: str = ""
    file_name: str = ""
    said_by: str = ""

    def __bool__(self) -> bool:
        return bool(self.reference or self.link or self.file_digest)

    def as_json(self) -> dict[str, str]:
        """What is said of it; what is not said is left out."""
        return {name: value for name, value in self.__dict__.items() if value}


@dataclass(frozen=True)
class Given:
    """What a person decided: the verdict, why, on what evidence, and from which checkpoint."""

    verdict: str
    reason: str
    evidence: str = ""
    seq: int | None = None
    seen: Seen = field(default_factory=Seen)

    @property
    def is_proven(self) -> bool:
        """Whether any evidence is named."""
        return bool(self.evidence.strip() or self.seen)

    def detail(self, **more: Fact) -> dict[str, Fact]:
        """What stands beside the words, for the record."""
        told: dict[str, Fact] = {"seq": self.seq} if self.seq is not None else {}
        if self.seen.as_json():
            told["seen"] = hiding.value(self.seen.as_json())
        return told | more

    def digest(self, case: Case) -> str:
        """The digest of all that is decided in this case: verdict, words, evidence, checkpoint."""
        said = [self.reason, self.evidence, self.seen.as_json(), self.seq]
        return digests.tagged("verdict-terms", [str(case.pk), self.verdict, *said])


@dataclass(frozen=True)
class Desk:
    """What lies before the person who decides: run and case locked."""

    run: Run
    case: Case
    given: Given
    user: User


def effect_of(case: Case) -> UUID:
    """The action a case is about. Raises `VerdictRefusedError` when it is about none."""
    if case.action_id is None:
        raise VerdictRefusedError("this case is about no action")
    return case.action_id


def of_record(verdict: str, reason: str, evidence: str, detail: dict[str, Any]) -> Given:
    """What stands in the record as it was given."""
    seen = Seen(**{name: str(value) for name, value in detail.get("seen", {}).items()})
    return Given(verdict, reason, evidence, detail.get("seq"), seen)


def checked(choice: Choice, given: Given) -> None:
    """Raises `VerdictRefusedError` when this verdict lacks what it needs."""
    if choice.needs_evidence and not given.is_proven:
        raise VerdictRefusedError("say what you saw and where: this verdict needs evidence")
    if choice.needs_seq and given.seq is None:
        raise VerdictRefusedError("name the checkpoint to go on from")
    if given.seen.link and not LINK.fullmatch(given.seen.link):
        raise VerdictRefusedError("a link begins with https:// and has no blanks")
    if given.seen.file_digest and not DIGEST.fullmatch(given.seen.file_digest):
        raise VerdictRefusedError("the SHA-256 of a file has 64 digits and letters from a to f")


def redacted(case: Case, given: Given) -> Given:
    """People quote what they saw; what is sensitive in the run and its action stays out."""

    def hidden(said: str) -> str:
        return str(words(case, said))

    seen = given.seen
    return replace(
        given,
        reason=hidden(given.reason),
        evidence=hidden(given.evidence),
        seen=replace(
            seen,
            reference=hidden(seen.reference),
            link=hidden(seen.link),
            file_name=hidden(seen.file_name),
            said_by=hidden(seen.said_by),
        ),
    )


def words(case: Case, said: str) -> Redacted:
    """What a person says about a case, without what is sensitive in its run and action."""
    also: list[bytes] = []
    if case.action_id is not None and said.strip():
        sent = Action.objects.filter(pk=case.action_id).values_list("parameters", flat=True)
        heard = Receipt.objects.filter(action_id=case.action_id).values_list("content", flat=True)
        also = [bytes(each) for each in (*sent, *heard[:MOST_HEARD])]
    return knowing.words(said, of=[case.run_id], also=also)
