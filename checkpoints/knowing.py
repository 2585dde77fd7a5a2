"""What people say of runs: their words may quote what is sensitive there, and are kept without it."""

from collections.abc import Collection, Iterable, Iterator
from uuid import UUID

from django.db.models import F

from canonical.redaction import Redacted
from checkpoints.models import Checkpoint, Run
from tenants.keys import hiding, vaults


def words(said: str, *, of: Collection[UUID], also: Iterable[bytes] = ()) -> Redacted:
    """A person's words about runs of one tenant, with marks for what is sensitive in those.

    Known are their inputs, their newest states and items, and what is encrypted in `also`. Raises
    `KeyRingError` when some of it cannot be read for want of a key: then nothing can be promised.
    """
    found = list(Run.objects.filter(pk__in=list(of)).only("tenant_id", "input", "head"))
    if not found or not said.strip():
        return hiding.text(said)
    with vaults.bound(found[0].tenant_id) as vault:
        for content in (*also, *_stored(found)):
            vault.learn(bytes(content))
        return hiding.text(said)


def _stored(found: list[Run]) -> Iterator[bytes]:
    for run in found:
        yield bytes(run.input)
    newest = Checkpoint.objects.filter(run__in=found, seq=F("run__head"))
    for state, appended in newest.values_list("state", "appended").iterator():
        yield from (bytes(state), bytes(appended or b""))
