"""Runs that are due and that no live worker can run say so: which code is missing, and since when."""

from datetime import datetime, timedelta
from typing import Final

from django.db.models import QuerySet
from django.db.models.functions import Now

from canonical.redaction import Redacted
from checkpoints import states
from checkpoints.models import Combo, Run
from execution import announcing
from tenants import moments
from tenants.keys import hiding
from tenants.paces import Pace

LOOK_EVERY_SECONDS: Final = 5.0
# A worker that is just being replaced by one of the same code is not worth a word.
PATIENCE: Final = timedelta(seconds=10)
MOST: Final = 200
BEGINS: Final = "No worker runs code "

_looking: Final = Pace()


def sentence(combo: Combo) -> Redacted:
    """What a run says that no live worker can run: "No worker runs code 3f9c…; last seen …"."""
    return _sentence(combo, announcing.last_seen(combo))


def _sentence(combo: Combo, seen: datetime | None) -> Redacted:
    since = f"last seen {moments.moment(seen)}" if seen else "none was ever seen here"
    return hiding.text(f"{BEGINS}{announcing.code_of(combo)[:12]}; {since}.")


def is_told(run: Run) -> bool:
    """Whether the run says that no worker has its code."""
    return run.sentence.startswith(BEGINS)


def tell() -> int:
    """A duty of the sweeper: how many runs say something else now. Nothing but the words moves."""
    return look() if _looking.is_time(LOOK_EVERY_SECONDS) else 0


def look() -> int:
    """`tell`, at once."""
    alive = [bytes.fromhex(code) for code in announcing.alive()]
    there_again = _due().filter(combo__code_part__in=alive, sentence__startswith=BEGINS)
    told = _say(there_again, hiding.text("Waiting for a worker."))
    missing = _due().exclude(combo__code_part__in=alive).exclude(sentence__startswith=BEGINS)
    combos = list(Combo.objects.filter(pk__in=_combos(missing)).defer("manifest"))
    seen = announcing.all_last_seen(combos) if combos else {}
    for combo in combos:
        told += _say(missing.filter(combo=combo), _sentence(combo, seen[combo.pk]))
    return told


def _due() -> QuerySet[Run]:
    live = (states.QUEUED, states.WAITING)
    return Run.objects.filter(status__in=live, due_at__lte=Now() - PATIENCE)


def _combos(runs: QuerySet[Run]) -> set[int]:
    return set(runs.values_list("combo_id", flat=True)[:MOST])


def _say(runs: QuerySet[Run], said: Redacted) -> int:
    ids = list(runs.values_list("pk", flat=True)[:MOST])
    # Judged again by the statement: a worker may have taken one meanwhile.
    return _due().filter(pk__in=ids).update(sentence=str(said)) if ids else 0
