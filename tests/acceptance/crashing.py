"""The short crash matrix, as `make crash` runs it, and what its report says."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

Json = Any

ROOT = Path(__file__).resolve().parents[2]
REPORT = ROOT / "var/reports/crash.json"
MISSING: dict[str, Json] = {
    "duplicates": None,
    "lost": None,
    "not_unique": None,
    "invalid": None,
    "unapproved_effects": None,
    "unexplained_states": None,
    "recovery_success_rate": None,
    "recovery_seconds": {"p50": None, "p95": None},
}


def crash(options: Sequence[str] = ()) -> dict[str, Json]:
    """Kill runs everywhere and count; the figures, or nothing but None when it did not come so far."""
    REPORT.unlink(missing_ok=True)
    command = [sys.executable, "-m", "tests.crash", "--short", "--out", str(REPORT), *options]
    subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL, check=False)
    if not REPORT.exists():
        return dict(MISSING)
    return MISSING | dict(json.loads(REPORT.read_text()))
