"""Where and when a stored database is made: on servers of its own, in the past.

So it is older than any machine that opens it, whatever that one's clock says: what was approved has
run out, and every window is over. Nothing here is a secret.
"""

import base64
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

DAY: Final = datetime(2025, 6, 1, 12, tzinfo=UTC)
LIBRARIES: Final = ("/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu")
LIBRARY: Final = "faketime/libfaketimeMT.so.1"
# Only for tests, and as public as this file: what is stored under them protects nobody.
KEYS: Final = "only-for-tests:" + base64.b64encode(b"only for tests, and no secret ok").decode()
SIGNING_KEY: Final = base64.b64encode(b"only for tests: it signs nothing").decode()
OPENS_WITH: Final = {"KEDGE_KEYS": KEYS, "KEDGE_SIGNING_KEY": SIGNING_KEY}


@contextmanager
def servers_there() -> Iterator[None]:
    """Servers that are started meanwhile live in the past, and so do all times of a database."""
    there = {
        "LD_PRELOAD": str(_library()),
        "FAKETIME": f"-{int(time.time() - DAY.timestamp())}",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    }
    os.environ.update(there)
    try:
        yield
    finally:
        for name in there:
            del os.environ[name]


def _library() -> Path:
    found = [path for each in LIBRARIES if (path := Path(each) / LIBRARY).exists()]
    if not found:
        sys.exit("The clock cannot be set back: install faketime (apt-get install faketime).")
    return found[0]
