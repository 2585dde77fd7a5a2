"""Reading what was booked, and the one counter-booking it asks for."""

from agents.errors import TicketMismatch
from agents.refund_desk import books
from agents.refund_desk.systems import REVERT
from canonical.digests import sha256_hex
from canonical.json import dumps
from checkpoints.graph import END, HAPPENED, Context, Json, Proposal, Result, State, To

REVERT_HANDLES = (HAPPENED,)
SOURCE = "refunds/"


def read_refund(_state: State, context: Context) -> To:
    """How much it was, and of which purchase: as the books say, whoever asks."""
    action_id = context.input["action_id"]
    found = books.refund(context.tenant, action_id)
    if found["reverted_by"] is not None:
        raise TicketMismatch(f"This refund was taken back already, as {found['reverted_by']}.")
    context.saw(f"{SOURCE}{action_id}", _version(found))
    kept = {name: found[name] for name in ("purchase", "cents", "currency")}
    return To("revert", {"refund": kept})


def present_refund(source: str, context: Context) -> str | None:
    """The refund's version as it stands."""
    try:
        return _version(books.refund(context.tenant, source.removeprefix(SOURCE)))
    except TicketMismatch:
        return None


def propose_revert(state: State, context: Context) -> Proposal:
    """A new action, with its own dry run and approval, that compensates for the booking."""
    action_id = context.input["action_id"]
    return Proposal(REVERT, {"refund": action_id, **state["refund"]}, compensates=action_id)


def absorb_revert(state: State, result: Result, _context: Context) -> To:
    """The refund is taken back in the books."""
    return To(END, {**state, "reverted": {"action_id": result.action_id}})


def _version(found: dict[str, Json]) -> str:
    shown = {name: str(value) for name, value in found.items()}
    return sha256_hex(dumps(shown))
