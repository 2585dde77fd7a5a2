"""What can go wrong with git. The docstring is the sentence an operator reads."""


class GitFailed(Exception):
    """git ended with an error."""


class NotConfirmed(Exception):
    """The remote did not confirm the push; whether it happened must be looked up."""


class CannotBuild(ValueError):
    """No commit can be made of these changes."""


class BadProposal(ValueError):
    """The proposed push does not fit its own pack, so it can never be sent."""


class UnknownRemote(LookupError):
    """This installation knows no remote of that name."""
