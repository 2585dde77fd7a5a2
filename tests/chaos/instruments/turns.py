"""A program that takes turns, or sweeps once, and says what came of it: a worker with another clock.

python -m tests.chaos.instruments.turns turns|sweep
"""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import quote, urlsplit
from uuid import uuid4

import django
from django.conf import settings
from django.db import connection

from config.embedded import processes

ROOT = Path(__file__).resolve().parents[3]
Process = subprocess.Popen[str]


def begun(what: str, *, prefix: Sequence[str] = (), at: str = "", **environment: str) -> Process:
    """The program on this test's own database, world and journal, with more in its environment.

    `prefix` (absolute) starts it elsewhere; `at` ("host:port") is where it finds the database then.
    """
    address = urlsplit(os.environ["DATABASE_URL"])
    name = quote(str(connection.settings_dict["NAME"]))
    if at:
        user, _, _ = address.netloc.rpartition("@")
        address = address._replace(netloc=f"{user}@{at}", query="")
    own = {
        "DJANGO_SETTINGS_MODULE": "tests.settings",
        "DATABASE_URL": address._replace(path=f"/{name}").geturl(),
        "REDIS_URL": settings.REDIS_URL,
        "KEDGE_AGENTS": settings.KEDGE_AGENTS,
        "KEDGE_ROLE": "owner",
        "KEDGE_JOURNAL_DIR": str(settings.KEDGE_JOURNAL_DIR),
        "KEDGE_LEASE_SECONDS": str(settings.KEDGE_LEASE_SECONDS),
    }
    return subprocess.Popen(
        processes.tied([*prefix, sys.executable, "-m", "tests.chaos.instruments.turns", what]),
        env={**os.environ, **own, **environment},
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def said(process: Process) -> Mapping[str, float]:
    """What it said as it ended; it must have ended well."""
    out, _ = process.communicate(timeout=180)
    assert process.returncode == 0, out
    found: dict[str, float] = json.loads(out.splitlines()[-1])
    return found


def _act(what: str) -> Mapping[str, float]:
    # Only now are the apps there.
    from execution import horse, sweeper  # noqa: PLC0415
    from tenants.clock import now  # noqa: PLC0415

    ahead = _wall() - now().timestamp()
    done = sweeper.sweep() if what == "sweep" else {"taken": horse.take_turns(uuid4())}
    return {**done, "ahead": ahead}


def _wall() -> float:
    import time  # noqa: PLC0415 - beside what it is compared with

    return time.time()


if __name__ == "__main__":
    django.setup()
    print(json.dumps(_act(sys.argv[1])))
