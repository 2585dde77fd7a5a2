"""An absolute kernel timer that ends this process: the self-stop of a worker.

It runs on CLOCK_BOOTTIME and delivers SIGKILL, so it also ends a process that was stopped,
that slept through a suspend, or that never returns to Python (rule 8). Timers are not inherited
by child processes and do not survive exec (rule 1).
"""

import ctypes
import os
import signal
import threading
import time
from types import TracebackType

_TIMER_ABSTIME = 1


class _Timespec(ctypes.Structure):
    _fields_ = (("seconds", ctypes.c_long), ("nanoseconds", ctypes.c_long))


class _Itimerspec(ctypes.Structure):
    _fields_ = (("interval", _Timespec), ("value", _Timespec))


class _Sigevent(ctypes.Structure):
    # struct sigevent is 64 bytes on Linux; what follows the notify field is unused here.
    _fields_ = (
        ("value", ctypes.c_void_p),
        ("signo", ctypes.c_int),
        ("notify", ctypes.c_int),
        ("unused", ctypes.c_byte * 48),
    )


_libc = ctypes.CDLL(None, use_errno=True)


def boot_seconds() -> float:
    """Seconds since boot, suspend included: a clock that no one sets."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def boot_id() -> str:
    """Which boot of which machine `boot_seconds` counts from."""
    with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
        return file.read().strip()


class SelfStop:
    """Kills this process at the earliest of its limits; a context manager from acquire to release.

    Limits are absolute `boot_seconds`, by name: the lease's end moves with each renewal, an
    effect's deadline never moves. Thread-safe. Raises `OSError` when the kernel refuses a timer.
    """

    def __init__(self) -> None:
        self._limits: dict[str, float] = {}
        self._lock = threading.Lock()
        self._timer = ctypes.c_void_p()
        self._armed: float | None = None

    def __enter__(self) -> "SelfStop":
        event = _Sigevent(signo=signal.SIGKILL, notify=0)
        self._call(
            "timer_create", time.CLOCK_BOOTTIME, ctypes.byref(event), ctypes.byref(self._timer)
        )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._call("timer_delete", self._timer)

    def limit(self, name: str, at: float) -> None:
        """Set or move one limit."""
        with self._lock:
            self._limits[name] = at
            self._arm()

    def lift(self, name: str) -> None:
        """Take one limit away."""
        with self._lock:
            self._limits.pop(name, None)
            self._arm()

    def _arm(self) -> None:
        at = min(self._limits.values(), default=None)
        if at == self._armed:
            return  # a node's deadline is mostly behind the lease's end
        whole = int(at or 0)
        value = _Timespec(whole, int(((at or 0) - whole) * 1e9))
        if at is not None and whole == 0 and value.nanoseconds == 0:
            value.nanoseconds = 1  # zero would disarm
        spec = _Itimerspec(_Timespec(0, 0), value)
        self._call("timer_settime", self._timer, _TIMER_ABSTIME, ctypes.byref(spec), None)
        self._armed = at

    def _call(self, name: str, *arguments: object) -> None:
        if getattr(_libc, name)(*arguments) != 0:
            number = ctypes.get_errno()
            raise OSError(number, f"{name}: {os.strerror(number)}")
