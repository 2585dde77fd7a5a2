"""Compares record, PostgreSQL and journal; what is apart stops effects and is listed (rule 13).

A restored base backup, dump or snapshot, a lossy promotion and a clone all come to one of these:
another PostgreSQL or timeline, a journal with lines that the record lacks, or a record with
receipts that the journal knows nothing of. What cannot be compared stops effects too.
"""

import logging
import time
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, Final
from uuid import UUID

from django.db import transaction
from django.db.models import Max
from django.db.models.functions import Now

from reconciliation.behind import enlisting, noticing
from reconciliation.behind.models import Divergence, JournalMark, MissingLine
from reconciliation.errors import ClaimedError, JournalError
from reconciliation.journal import belonging, chain
from reconciliation.journal.belonging import Seen
from reconciliation.journal.port import Line, Mark, Room
from reconciliation.journal.rooms import room
from reconciliation.models import Attempt, Receipt
from tenants.actors import Actor
from tenants.paces import Pace

log = logging.getLogger(__name__)

RECORD_BEHIND: Final = "record_behind"
JOURNAL_CLAIMED: Final = "journal_claimed"
BY: Final = Actor.machine("journal")
AT_ONCE: Final = 500
NEWEST_RECEIPTS: Final = 200
HEARD: Final = ("answer", "refusal")
EVERY_SECONDS: Final = 1.0
EVERY_SECONDS_IN_A_STORE: Final = 10.0
# As long as it takes others to let go after PostgreSQL was restarted, and more.
CLAIM_PATIENCE_SECONDS: Final = 10.0

_watching: Final = Pace()
_claimed: Final = {"since": 0.0}
# How far a journal that is not the record's own was read by this process: by its place.
_elsewhere: Final[dict[str, Mark]] = {}


def at_start() -> Divergence | None:
    """As a worker or a sweeper starts, before anything goes on; all that can be compared is.

    A journal that cannot be read is logged: without it no effect is sent in any case.
    """
    try:
        return compare(whole=True)
    except JournalError as error:
        log.warning("the record cannot be compared with its journal: %s", error)
        return None


def watch() -> int:
    """The sweeper's duty: hold the journal's claim, and compare what came since; 1 when apart."""
    pause = EVERY_SECONDS if room().name.startswith("/") else EVERY_SECONDS_IN_A_STORE
    if not _watching.is_time(pause):
        return 0
    codes = _claim()
    if codes:
        noticing.notice(codes, _seen(belonging.look(), "", Mark()), by=BY)
    try:
        return int(compare() is not None)
    except JournalError as error:
        log.warning("the record cannot be compared with its journal: %s", error)
        return int(bool(codes))


def compare(*, whole: bool = False) -> Divergence | None:
    """Compare, and stop effects when anything is apart; what is open of it, if anything is.

    `whole`: also whether the journal knows the newest receipts. Idempotent, and safe to be killed
    anywhere: the mark moves with what was taken in before it. Raises `JournalError`.
    """
    kept, seen = room(), belonging.look()
    place = belonging.place_of(seen, kept)
    seen = seen if seen.place else belonging.look()
    codes = belonging.apart(seen, place)
    mark = JournalMark.objects.get()
    own = _nonce(place) == _nonce(mark.place)
    place = place or kept.place(make=True)
    since = Mark(mark.seq, mark.digest, mark.at) if own else _elsewhere.get(place, Mark())
    walk = chain.Walk(since)
    for lines in _chunks(walk.through(kept.read(since))):
        codes += sorted(walk.troubles - set(codes))
        _take_in(lines, codes, _seen(seen, place, walk.end), own=own)
    codes += sorted(walk.troubles - set(codes))
    if not own:
        _elsewhere[place] = walk.end
    if own:
        kept.know(walk.end)
    if whole and own and not codes:
        codes += _receipts(kept, mark)
    if codes:
        return noticing.notice(codes, _seen(seen, place, walk.end), by=BY)
    return noticing.still_open(_seen(seen, place, walk.end))


def _claim() -> list[str]:
    try:
        belonging.refuse_unless_ours()
    except ClaimedError as error:
        _claimed["since"] = _claimed["since"] or time.monotonic()
        log.warning("%s", error)
        late = time.monotonic() - _claimed["since"] > CLAIM_PATIENCE_SECONDS
        return [JOURNAL_CLAIMED] if late else []
    except JournalError as error:
        log.warning("%s", error)
    _claimed["since"] = 0.0
    return []


def _take_in(lines: list[Line], codes: list[str], seen: dict[str, Any], *, own: bool) -> None:
    lacking = _lacking(lines, str(seen["installation"]))
    if lacking and RECORD_BEHIND not in codes:
        codes.append(RECORD_BEHIND)
    divergence = noticing.notice(codes, seen, by=BY) if codes else None
    if divergence is not None:
        for line in lacking:
            enlisting.enlist(divergence, line, by=BY)
    if own:
        last = lines[-1]
        JournalMark.objects.filter(seq__lt=last.seq).update(
            seq=last.seq, digest=last.digest, at=last.at, compared_at=Now()
        )


def _lacking(lines: Iterable[Line], installation: str) -> list[Line]:
    """Lines of this installation whose attempt the record lacks and that are not listed yet."""
    by_attempt: dict[UUID, Line] = {}
    for line in lines:
        if line.fields.get("installation", installation) == installation:
            by_attempt[UUID(str(line.fields["attempt"]))] = line
    with transaction.atomic():
        known = set(Attempt.objects.filter(pk__in=by_attempt).values_list("pk", flat=True))
        listed = MissingLine.objects.filter(attempt_id__in=by_attempt)
        known |= set(listed.values_list("attempt_id", flat=True))
    return [line for attempt, line in by_attempt.items() if attempt not in known]


def _receipts(kept: Room, mark: JournalMark) -> list[str]:
    """Whether the journal has the lines of the newest answers: no answer without a line."""
    answers = Receipt.objects.filter(
        pk__gt=mark.receipt, source__in=HEARD, attempt__from_journal=False
    )
    newest = Receipt.objects.aggregate(newest=Max("pk"))["newest"] or 0
    ids = answers.order_by("-pk").values_list("attempt_id", flat=True)[:NEWEST_RECEIPTS]
    asked = {str(each) for each in ids}
    if asked and asked - kept.find(asked):  # asked for nothing it would still read all of it
        return [belonging.JOURNAL_LOST]
    JournalMark.objects.filter(receipt__lt=newest).update(receipt=newest)
    return []


def _seen(seen: Seen, place: str, end: Mark) -> dict[str, Any]:
    """What is there now: what the record belongs to once its stop is lifted."""
    told: dict[str, Any] = {
        "installation": seen.installation,
        "system": seen.live[0],
        "timeline": seen.live[1],
    }
    if place:
        newest = Receipt.objects.aggregate(newest=Max("pk"))["newest"] or 0
        told |= {"place": place, "seq": end.seq, "digest": end.digest, "at": end.at}
        told |= {"receipt": newest}
    return told


def _nonce(place: str) -> str:
    """Kind and nonce of a journal, without what tells a copy of it."""
    return ":".join(place.split(":")[:2])


def _chunks(lines: Iterator[Line]) -> Iterator[list[Line]]:
    while chunk := list(islice(lines, AT_ONCE)):
        yield chunk
