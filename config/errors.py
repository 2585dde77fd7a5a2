"""Why this installation does not start, or is not backed up or restored: a sentence with the next step."""


class GroundError(Exception):
    """Kedge cannot start here. The message says what is wrong and what to do next."""


class BackupError(Exception):
    """No backup was made, or nothing was restored. The message says why and what to do next."""
