"""What can go wrong with the world. The docstring is the sentence an operator reads."""


class WorldError(Exception):
    """The ledger refused a change."""


class NotDispatchedError(WorldError):
    """Nothing was sent: the run, the action or the approval was not what dispatch needs.

    `code` is the reason: *lease_lost*, *cancelled*, *settled*, *unproven*, *door_closed*, *key_too_old*,
    *above_rung* (the ladder of its release does not let it write), *more_demanded* (by the rules than people were asked for), or the code of `approvals.errors.NotApprovedError`.
    """

    def __init__(self, code: str, action_id: object) -> None:
        super().__init__(f"action {action_id}: {code}")
        self.code = code


class ForbiddenEffectError(WorldError):
    """The task type's manifest or the rules forbid this effect; it was never proposed."""


class AboveRungError(WorldError):
    """The ladder of its release does not let this combo go so far with this tool."""


class ParametersRefusedError(WorldError):
    """The proposed parameters do not fit the tool's schema."""


class KeyTakenError(WorldError):
    """The idempotency key belongs to an action with other parameters."""


class VerdictRefusedError(WorldError):
    """This verdict cannot be given now."""


class FollowUpRefusedError(WorldError):
    """No run can follow this effect now."""


class CredentialRefusedError(WorldError):
    """This cannot be noted about a credential."""


class JournalError(WorldError):
    """The journal outside PostgreSQL could not be written, so nothing was sent."""


class ClaimedError(JournalError):
    """Another PostgreSQL is worked for with this journal, so nothing was sent."""


class EvidenceNotReady(WorldError):
    """The audit trail is being sealed; ask for the evidence again in a moment."""


class SpoolError(WorldError):
    """These receipts cannot be brought in."""
