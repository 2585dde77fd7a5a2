"""What can go wrong with a declared tool. The docstring is the sentence an operator reads."""


class BadDeclaration(ValueError):
    """This declaration does not describe a tool that could be trusted."""


class BadProposal(ValueError):
    """No request can be made of these parameters, so they can never be sent."""


class NotConfirmed(Exception):
    """The effect was not confirmed; whether it happened must be looked up."""

    def __init__(self, *said: object, retry_after: float | None = None) -> None:
        super().__init__(*said)
        self.retry_after = retry_after


class PlaceTaken(Exception):
    """The place of this action is taken: by an earlier attempt, or by a tombstone."""
