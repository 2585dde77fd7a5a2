"""What can go wrong between a tool and its server. The docstring is the sentence an operator reads."""


class NotSent(Exception):
    """Nothing was sent: the server could not be reached, or may not be."""


class NoAnswer(Exception):
    """The request left, and no whole answer came back."""
