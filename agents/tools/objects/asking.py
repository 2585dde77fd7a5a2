"""Looking at the object of an action, and taking its name with a tombstone."""

from typing import Any

from botocore.exceptions import ClientError

from agents.tools.objects import naming, store
from agents.tools.objects.putting import TAKEN
from agents.tools.objects.store import Store
from canonical.digests import sha256_hex
from canonical.json import dumps
from reconciliation.tools import Absent, Call, CredentialInvalid, Found, Unanswered, Voided

NOT_FOUND = 404
TOMBSTONE = b""


def look_up(call: Call, at: Store) -> Found | Absent:
    """Whether the document of this action is there. Raises `Unanswered`."""
    found = head(call, at)
    return Absent() if found is None else _judged(found.get("Metadata", {}), call, at)


def void(call: Call, at: Store, again: Store) -> Voided | Found:
    """Take the name, unless an attempt holds it; `again` looks who does. Raises `Unanswered`."""
    metadata = naming.written_on(call, naming.VOID, sha256_hex(TOMBSTONE))
    try:
        at.put(naming.name_of(at.declared, call), TOMBSTONE, Metadata=metadata)
    except ClientError as error:
        if store.status_of(error) not in TAKEN:
            raise _unanswered(error) from error
        found = look_up(call, again)
        if isinstance(found, Found):
            return found
        if not found.voided:
            raise Unanswered("the name was taken, and then it was not") from error
    except (*store.NO_ANSWER, CredentialInvalid) as error:
        raise _unanswered(error) from error
    said = {
        "action_id": call.action_id,
        "key": call.key,
        "object": naming.name_of(at.declared, call),
    }
    return Voided(dumps(said))


def head(call: Call, at: Store) -> dict[str, Any] | None:
    """What the store says about the object; None when it is not there. Raises `Unanswered`."""
    try:
        return at.head(naming.name_of(at.declared, call))
    except ClientError as error:
        if store.status_of(error) == NOT_FOUND:
            return None
        raise _unanswered(error) from error
    except (*store.NO_ANSWER, CredentialInvalid) as error:
        raise _unanswered(error) from error


def _judged(metadata: dict[str, str], call: Call, at: Store) -> Found | Absent:
    given = {name.lower(): value for name, value in metadata.items()}
    own = {"kedge-action": call.action_id, "kedge-key": call.key}
    if any(given.get(name) != value for name, value in own.items()):
        raise Unanswered("the name of this document is taken by something that is not ours")
    if given.get("kedge-kind") == naming.VOID:
        return Absent(voided=True)
    if given.get("kedge-sha256") != call.parameters["document"]["$blob"]:
        raise Unanswered("the document there is not the one that was proposed")
    return Found(naming.receipt(at.declared, call, given.get("kedge-attempt", "")))


def _unanswered(error: Exception) -> Unanswered:
    return Unanswered(f"the store did not answer: {error}")
