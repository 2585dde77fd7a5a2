"""Named durable boundaries, so that tests can kill the process before and after each of them.

`KEDGE_BOUNDARY_LOG` appends every boundary reached to a file: how the points are found.
`KEDGE_KILL_AT` = "<name>@<n>" kills this process with SIGKILL at the n-th time it gets there,
`KEDGE_STOP_AT` stops it there with SIGSTOP, as a zombie that may wake up later.
`KEDGE_PLUGS` names a folder, in the demo only: a file "<run id>" there whose content is the
boundary's name ends the worker that brings this run there, with its parent, once.
Unset, as in production, a boundary costs four dictionary look-ups.
"""

import os
import signal
from collections import Counter
from pathlib import Path

from tenants import logs

_reached: Counter[str] = Counter()


def boundary(name: str) -> None:
    """Say that the process stands at `name`, such as "commit:before" or "dispatch:after"."""
    log = os.environ.get("KEDGE_BOUNDARY_LOG")
    kill_at = os.environ.get("KEDGE_KILL_AT")
    stop_at = os.environ.get("KEDGE_STOP_AT")
    plugs = os.environ.get("KEDGE_PLUGS")
    if log is None and kill_at is None and stop_at is None and plugs is None:
        return
    _reached[name] += 1
    point = f"{name}@{_reached[name]}"
    if log is not None:
        _append(log, point)
    if kill_at == point:
        os.kill(os.getpid(), signal.SIGKILL)
    if stop_at == point:
        os.kill(os.getpid(), signal.SIGSTOP)
    if plugs is not None and _is_plugged(Path(plugs), name):
        # The parent first: it would see its horse die and give the lease away in order.
        os.kill(os.getppid(), signal.SIGKILL)
        os.kill(os.getpid(), signal.SIGKILL)


def _is_plugged(plugs: Path, name: str) -> bool:
    """Whether the run at hand is to end here; its plug is gone before anything is killed."""
    run = logs.bound().get("run")
    if run is None:
        return False
    plug = plugs / str(run)
    try:
        if plug.read_text() != name:
            return False
        plug.unlink()
    except FileNotFoundError:
        return False
    return True


def _append(log: str, point: str) -> None:
    handle = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.write(handle, f"{point}\n".encode())
    finally:
        os.close(handle)
