"""What can go wrong with a declared service. The docstring is the sentence an operator reads."""


class BadDeclaration(ValueError):
    """This declaration does not describe a tool that could be trusted."""


class BadProposal(ValueError):
    """No request can be made of these parameters, so they can never be sent."""


class NotConfirmed(Exception):
    """The service did not confirm the effect; whether it happened must be looked up."""
