"""Becomes another program that ends when its parent ends, under an account of its own if asked.

    tied.py --signal TERM [--account NAME] -- PROGRAM ARGUMENT...

Standard library only and run by path, so that it costs milliseconds and starts below any folder.
"""

import argparse
import ctypes
import os
import pwd
import signal
import sys

PR_SET_PDEATHSIG = 1
# What a server under a foreign account may know of our environment: no secret of ours.
KEPT = ("PATH", "TZ", "LD_LIBRARY_PATH")


def main(arguments: list[str]) -> None:
    """Read the arguments and become the program; never returns."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--signal", default="TERM")
    parser.add_argument("--account")
    parser.add_argument("command", nargs="+")
    options = parser.parse_args(arguments)
    parent = os.getppid()
    # Python ignores broken pipes and catches interrupts, a shell lets what it starts behind itself
    # ignore interrupts and quits; the program must start with none of that.
    for number in (signal.SIGPIPE, signal.SIGINT, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)
    if options.account:
        become(options.account)
    die_with_parent(signal.Signals[f"SIG{options.signal}"], parent)
    os.execv(options.command[0], options.command)  # noqa: S606 - that is what this program is for


def become(account: str) -> None:
    """Give up root for `account`, its groups included, and forget our environment."""
    entry = pwd.getpwnam(account)
    os.initgroups(account, entry.pw_gid)
    os.setgid(entry.pw_gid)
    os.setuid(entry.pw_uid)
    for name in set(os.environ) - set(KEPT):
        del os.environ[name]
    os.environ["LANG"] = "C"


def die_with_parent(with_signal: signal.Signals, parent: int) -> None:
    """Ask the kernel for a signal when the parent dies. Survives exec, not a change of account."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_PDEATHSIG, int(with_signal), 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_PDEATHSIG)")
    # It may have died before the kernel was asked: then nobody would ever tell us.
    if os.getppid() != parent:
        os.kill(os.getpid(), with_signal)


if __name__ == "__main__":
    main(sys.argv[1:])
