"""What can go wrong while an agent works. The docstring is the sentence an operator reads."""


class AgentError(Exception):
    """The task could not go on."""


class ModelUnavailable(AgentError):
    """The model did not answer in time, or asked us to come back later."""


class ModelRefused(AgentError):
    """The model's server refuses our requests: check its address, model name and key."""


class InvalidAnswer(AgentError):
    """The model answered, but not in the form that was asked for.

    Carries what the answer cost, since it must be paid all the same.
    """

    def __init__(self, message: str, *, prompt_tokens: int = 0, completion_tokens: int = 0) -> None:
        super().__init__(message)
        self.prompt_tokens = prompt_tokens
        self.completion_tokens = completion_tokens


class RepositoryUnreadable(AgentError):
    """The repository could not be read."""


class UnknownRepository(AgentError, LookupError):
    """That is not the name of a repository of this installation."""


class ChangeFailed(AgentError):
    """The change rule could not be carried out on a file."""


class SeedingFailed(AgentError):
    """A demo repository could not be made."""


class TicketUnreadable(AgentError):
    """The ticket, or the purchase it is about, could not be read."""


class TicketMismatch(AgentError):
    """The ticket does not agree with itself, with the books, or with who works on it."""


class BadVariant(AgentError):
    """A variant of a task has a file that says nothing, or says it wrongly."""
