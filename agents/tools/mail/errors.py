"""What can go wrong with mail. The docstring is the sentence an operator reads."""


class NoAnswer(Exception):
    """The mail server had the whole mail and did not say what it does with it."""


class BadMessage(ValueError):
    """The mail cannot be written down as proposed, so it can never be sent."""
