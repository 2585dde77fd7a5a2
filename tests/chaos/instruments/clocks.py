"""Processes whose clock is wrong, by libfaketime; and the clock of a database that is stepped."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

FAKED = Path(__file__).with_name("faked")


def library() -> Path | None:
    """The library of Debian's package `faketime`; None where it is not installed."""
    found = sorted(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))
    return found[0] if found else None


def why_not() -> str:
    """Why no clock can be made wrong here; "" when it can."""
    return "" if library() else "libfaketime is not installed (Debian: apt-get install faketime)"


def wrong(by: str, *, whole: bool = False) -> Mapping[str, str]:
    """The environment of a Python process whose wall clock is off `by` "+1h", "+0 x1.01".

    `whole`: also its monotonic and its boot clock, which then agree with no other process; locks
    that wait for a time never wake there.
    """
    return {
        "LD_PRELOAD": str(library()),
        "FAKETIME": by,
        "FAKETIME_DONT_FAKE_MONOTONIC": "0" if whole else "1",
        "PYTHONPATH": str(FAKED),
    }


def is_faked(pid: int) -> bool:
    """Whether a running process tells the time by the library."""
    try:
        return "libfaketime" in Path(f"/proc/{pid}/maps").read_text()
    except OSError:
        return False


@dataclass(frozen=True)
class SteppedClock:
    """The wall clock of a server that is started behind `prefix`, set by writing a file."""

    file: Path

    def prefix(self) -> list[str]:
        """Words to put before the server's command. Its account must be able to read the file."""
        self.step("+0s")
        given = {
            "LD_PRELOAD": str(library()),
            "FAKETIME_TIMESTAMP_FILE": str(self.file),
            "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        }
        return ["/usr/bin/env", *(f"{name}={value}" for name, value in given.items())]

    def step(self, to: str) -> None:
        """Set it off by so much ("+1h", "-1h", "+0s") from the next look on."""
        draft = self.file.with_suffix(".draft")
        draft.write_text(f"{to}\n")
        draft.chmod(0o644)
        draft.rename(self.file)
