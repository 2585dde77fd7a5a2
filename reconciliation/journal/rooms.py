"""Which journal this installation writes to, as its settings say."""

from functools import lru_cache
from pathlib import Path
from typing import Final

from django.conf import settings

from reconciliation.journal.local import LocalRoom
from reconciliation.journal.objects import ObjectRoom
from reconciliation.journal.port import Room

IN_A_STORE: Final = "s3://"


def room() -> Room:
    """The journal: in the object store that is named, else in the journal's folder."""
    return _room(settings.KEDGE_JOURNAL_URL, Path(settings.KEDGE_JOURNAL_DIR))


@lru_cache(maxsize=64)
def _room(url: str, folder: Path) -> Room:
    return ObjectRoom.of(url) if url.startswith(IN_A_STORE) else LocalRoom(folder)
