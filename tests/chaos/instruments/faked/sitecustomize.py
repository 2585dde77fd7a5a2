"""Loaded by Python processes under libfaketime: lets it fake what clocks say, and nothing else.

It also bends kernel timers and absolute sleeps, which no wrong clock of a real machine does: they
fire at once, never, or fail. Here libc is asked for them directly.
"""

import ctypes
import select
import time
from typing import Any

_begin = ctypes.CDLL.__init__


def _from_libc(self: ctypes.CDLL, name: str | None, *given: Any, **options: Any) -> None:
    """What is looked up in the whole process is found in the library that was loaded before it."""
    _begin(self, "libc.so.6" if name is None else name, *given, **options)


def _sleep(seconds: float) -> None:
    if seconds < 0:
        raise ValueError("sleep length must be non-negative")
    select.select([], [], [], seconds)


ctypes.CDLL.__init__ = _from_libc  # type: ignore[method-assign]
time.sleep = _sleep  # type: ignore[assignment]
