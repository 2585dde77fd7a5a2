"""What the kernel says about running processes; a pid file is never believed."""

import os
import subprocess
import sys
from pathlib import Path

TIED = Path(__file__).with_name("tied.py")


def working_in(folder: Path) -> list[int]:
    """The processes whose working folder is `folder`: PostgreSQL's all work in their data folder."""
    wanted = os.path.realpath(folder)
    return sorted(pid for pid in _all() if _link(pid, "cwd") == wanted)


def alive(pid: int) -> bool:
    """Whether a process of this number runs (a zombie does not)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def name_of(pid: int) -> str:
    """The command line of a process, short, for a sentence; empty when it is gone or not ours."""
    try:
        line = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return ""
    return line.replace(b"\0", b" ").decode(errors="replace").strip()[:80]


def tied(command: list[str], *, signal: str = "TERM", account: str | None = None) -> list[str]:
    """The command line that runs `command` under `account` and ends it when its parent ends."""
    # Isolated and without site-packages: the wrapper starts in milliseconds, whatever is installed.
    wrapper = [sys.executable, "-I", "-S", str(TIED), "--signal", signal]
    return [*wrapper, *(["--account", account] if account else []), "--", *command]


def run_as(account: str | None, command: list[str]) -> subprocess.CompletedProcess[str]:
    """Run `command` to its end under `account`, its output caught."""
    return subprocess.run(
        tied(command, account=account), capture_output=True, text=True, check=False, cwd="/"
    )


def _all() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def _link(pid: int, name: str) -> str:
    try:
        return os.readlink(f"/proc/{pid}/{name}")
    except OSError:
        return ""
