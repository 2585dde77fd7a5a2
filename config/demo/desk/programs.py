"""The programs of the demo's refund desk, for the supervisor: a ticket tracker and a store."""

import json
import os
import sys
from pathlib import Path

from config.demo.desk.places import HOST, USER, Desk, weed
from config.programs import Program

GROUP = "desk"


def of(desk: Desk) -> list[Program]:
    """Both programs. Writes the files in which they read who may write to them."""
    desk.store.mkdir(parents=True, exist_ok=True)
    login = {"accessKey": USER, "secretKey": desk.secret}
    known = {"name": USER, "credentials": [login], "actions": ["Admin", "Read", "Write"]}
    _private(desk.identities, json.dumps({"identities": [known]}))
    _private(desk.login, f"{USER}:{desk.secret}")
    tracker = [sys.executable, "-m", "config.demo.desk.tracker"]
    return [
        Program("tickets", GROUP, [*tracker, str(desk.tracker), str(desk.port), str(desk.login)]),
        # It takes its time to end, and keeps what it has acknowledged all the same.
        Program("store", GROUP, store_command(desk), stop_seconds=5),
    ]


def store_command(desk: Desk) -> list[str]:
    """SeaweedFS as one process, on the loopback alone."""
    doors = ("s3.port", "master.port", "volume.port", "filer.port")
    every = [*doors, *(f"{name}.grpc" for name in doors)]
    options = [f"-{name}={desk.port + 1 + number}" for number, name in enumerate(every)]
    fixed = [f"-dir={desk.store}", f"-ip={HOST}", f"-ip.bind={HOST}", "-filer", "-s3"]
    fixed += ["-s3.port.iceberg=0", "-s3.port.lance=0", f"-s3.config={desk.identities}"]
    # With fewer or larger volumes it answers the first PUT with 500.
    room = ["-volume.max=50", "-master.volumeSizeLimitMB=64"]
    return [str(weed()), "server", *fixed, *room, *options]


def _private(path: Path, text: str) -> None:
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(text)
