"""The effect: one document under a name that can be taken once."""

from botocore.exceptions import ClientError

from agents.tools.errors import BadProposal, NotConfirmed, PlaceTaken
from agents.tools.objects import naming, store
from agents.tools.objects.store import Store
from canonical.digests import sha256_hex
from reconciliation.tools import Call, Refused, Sent

# Said before the store looks at its objects, so never the trace of an earlier request of ours.
ITS_NO = frozenset(
    {
        "AccessDenied",
        "EntityTooLarge",
        "InvalidAccessKeyId",
        "InvalidBucketName",
        "NoSuchBucket",
        "SignatureDoesNotMatch",
    }
)
TAKEN = (409, 412)


def perform(call: Call, to: Store) -> Sent:
    """One PUT. Raises `Refused`, `PlaceTaken`, `NotConfirmed`, `NotSent`, `NoAnswer`."""
    try:
        content = document(call, to.declared.largest_bytes)
    except BadProposal as error:
        raise Refused(f"nothing was sent: {error}") from error
    metadata = naming.written_on(call, naming.DOCUMENT, call.parameters["document"]["$blob"])
    media = call.parameters["media"]
    try:
        to.put(naming.name_of(to.declared, call), content, ContentType=media, Metadata=metadata)
    except ClientError as error:
        raise _meant(error) from error
    digest = naming.wire_digest(to.declared, to.left, call)
    return Sent(naming.receipt(to.declared, call, call.attempt_id), digest)


def document(call: Call, largest: int) -> bytes:
    """The bytes that were proposed. Raises `BadProposal`."""
    given = call.parameters["document"]
    content = call.read_blob(given)
    if sha256_hex(content) != given["$blob"] or len(content) != given["size"]:
        raise BadProposal("the stored document is not the one that was proposed")
    if len(content) > largest:
        raise BadProposal(f"the document is larger than {largest} bytes")
    return content


def _meant(error: ClientError) -> Exception:
    code, status = store.code_of(error), store.status_of(error)
    if code in ITS_NO:
        return Refused(f"the store said no: {code}")
    if status in TAKEN:
        return PlaceTaken("the name of this document is taken already")
    return NotConfirmed(f"the store did not confirm it: {status} {code}")
