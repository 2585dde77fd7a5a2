"""The one thing that can be wrong with a value at this door, and where in the value it is."""

PATH_SHOWN = 300


class CanonicalError(ValueError):
    """A value cannot be kept as it is, and the message says where in it and why.

    `path` is a JSON pointer ("/items/3/name", "" is the root), safe to print and to store:
    NUL and lone surrogates in keys stand as escapes. `reason` never quotes a value, because
    the value may be a secret.
    """

    def __init__(self, path: str, reason: str) -> None:
        self.path = path
        self.reason = reason
        super().__init__(f"{_place(path)}: {reason}")


class DiffError(ValueError):
    """A text is not a diff that can be shown whole, so nothing of it is shown as if it were.

    `line` counts from 1.
    """

    def __init__(self, line: int, reason: str) -> None:
        self.line = line
        self.reason = reason
        super().__init__(f"line {line:,} of the diff: {reason}")


def _place(path: str) -> str:
    if not path:
        return "at the root"
    if len(path) <= PATH_SHOWN:
        return f"at {path}"
    return f"at {path[:PATH_SHOWN]}… ({len(path) - PATH_SHOWN:,} more characters of path)"
