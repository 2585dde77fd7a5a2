"""Why this installation does not start, as a sentence with the next step."""


class GroundError(Exception):
    """Kedge cannot start here. The message says what is wrong and what to do next."""
