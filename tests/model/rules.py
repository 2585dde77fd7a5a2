"""The rules of the protocol that the model covers, each with a switch."""

from dataclasses import dataclass, field, fields


def _rule(sentence: str) -> bool:
    rule: bool = field(default=True, metadata={"says": sentence})
    return rule


@dataclass(frozen=True)
class Rules:
    """All on is the protocol; each alone off is a mistake that somebody could make."""

    fence: bool = _rule("a write shows the fence of its lease")
    holder: bool = _rule("a write shows the holder of its lease")
    head: bool = _rule("a commit names the head that it follows")
    stop: bool = _rule("dispatch looks for a stop under the locks")
    cancelled: bool = _rule("dispatch looks for a request to cancel under the locks")
    evidence: bool = _rule("dispatch looks for evidence under the locks")
    proven: bool = _rule("a further attempt only after the one before is proven without effect")
    use_up: bool = _rule("the first intent uses the approval up")
    fresh_yes: bool = _rule("who wants it sent again, or cannot ask the tool, needs a new yes")
    approved: bool = _rule("dispatch judges the approval under the locks")
    deadline: bool = _rule("a kernel timer ends who calls at the deadline, stopped or not")
    window: bool = _rule("absent is believed only when the window is over")
    judged_first: bool = _rule("whether the window is over is judged before the tool is asked")
    own_clock: bool = _rule("the machine's own clock too must have passed the window")
    void_no: bool = _rule("a no after an attempt is made true by a void")
    first_refusal: bool = _rule("only the first attempt's refusal is a refusal")
    remembered: bool = _rule("sent again under a key only while it is surely remembered")
    remembered_at_dispatch: bool = _rule("and that is judged once more when the deadline is armed")
    locks_in_flight: bool = _rule("a key not locked in flight is outwaited before it is used again")
    late_verdict: bool = _rule("a person may say no only when the window is over")
    wakes: bool = _rule("who suspends looks whether it was woken since it read")
    reconcile_first: bool = _rule("cancelling brings the open action to an outcome first")
    late_evidence: bool = _rule("evidence against what was settled opens a case")
    ended: bool = _rule("a lease is given away only of a run that has not ended")


NAMES = tuple(rule.name for rule in fields(Rules))
SAYS: dict[str, str] = {rule.name: rule.metadata["says"] for rule in fields(Rules)}
