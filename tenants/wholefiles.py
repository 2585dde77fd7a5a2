"""Files that others rely on after a power cut: whole under their name or not there, and on the disk."""

import os
from pathlib import Path


def put(path: Path, content: bytes) -> None:
    """Write a file for its owner alone, and bring it and its name to the disk. Raises `OSError`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # Of several who write it each has a draft of its own.
    draft = path.with_name(f".{path.name}.{os.getpid()}.draft")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    draft.rename(path)
    sync(path.parent)


def sync(path: Path) -> None:
    """Bring a file's bytes, or which files a folder has, to the disk. Raises `OSError`."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
