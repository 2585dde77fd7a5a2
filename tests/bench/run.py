"""`make bench`: ratios within one run on one machine, medians of several rounds."""

import argparse
import json
import os
import statistics
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection
from django.test.utils import get_runner

from tests import people as persons
from tests.bench import ours, peers
from tests.bench.bare import bare_commit_ms

REPORT = Path("var/reports/bench.json")
# What one bare commit took where the targets were set. On a disk that is much faster than that,
# the ratios compare what the processors do and hardly what is made durable.
SLOW_COMMIT_MS = 0.7


def main() -> int:
    """Measure, print one JSON object, and write it beside the other reports."""
    options = _options()
    runner = get_runner(settings)(verbosity=0, interactive=False)
    databases = runner.setup_databases()
    try:
        with tempfile.TemporaryDirectory() as folder:
            os.environ["KEDGE_FAKE_WORLD"] = f"{folder}/world"
            settings.KEDGE_JOURNAL_DIR = Path(folder) / "journal"
            report = measure(options.rounds, options.steps)
    finally:
        connection.close()
        runner.teardown_databases(databases)
    REPORT.parent.mkdir(parents=True, exist_ok=True)
    REPORT.write_text(json.dumps(report, indent=2) + "\n")
    sys.stdout.write(json.dumps(report) + "\n")
    return 0


def measure(rounds: int, steps: int) -> dict[str, Any]:
    """All figures, on this disk and again as on one whose commit takes `SLOW_COMMIT_MS`."""
    tenant = persons.make_tenant("bench")
    people = ours.People(tenant, persons.ada(tenant), persons.dee(tenant))
    report = _steps(people, rounds, steps)
    report["storage"] = ours.storage(people, 1000)
    missing = SLOW_COMMIT_MS - (report["bare_commit_ms"] or 0)
    if missing > 0:
        with _slower_commits(missing):
            report["on_a_slower_disk"] = {
                "commit_delay_ms": round(missing, 2),
                **_steps(people, max(1, rounds // 2), steps),
            }
    return report


def _steps(people: ours.People, rounds: int, steps: int) -> dict[str, Any]:
    """Medians; what is compared is measured in turns, so that a busy moment hits each."""
    found: dict[str, list[float]] = {}
    figures: dict[str, float | None] = {}
    for each in range(rounds + 1):
        figures = {
            "bare_commit_ms": bare_commit_ms(steps),
            "compute_step_ms": ours.compute_step_ms(people, steps),
            "action_step_ms": ours.action_step_ms(people, max(5, steps // 20)),
            "dbos_step_ms": peers.dbos_step_ms(_url(), steps),
            "langgraph_sync_step_ms": peers.langgraph_sync_step_ms(_url(), steps),
        }
        sys.stderr.write(f"round {each} of {rounds}{' (warm-up)' if not each else ''}: {figures}\n")
        if each:
            for name, figure in figures.items():
                if figure is not None:
                    found.setdefault(name, []).append(figure)
    medians = {name: round(statistics.median(values), 4) for name, values in found.items()}
    report: dict[str, Any] = {name: medians.get(name) for name in figures}
    report["ratios"] = _ratios(medians)
    return report


@contextmanager
def _slower_commits(by_ms: float) -> Iterator[None]:
    """Let PostgreSQL wait before each flush, for every connection of whoever is measured."""
    name = connection.ops.quote_name(connection.settings_dict["NAME"])
    with connection.cursor() as cursor:
        cursor.execute(f"ALTER DATABASE {name} SET commit_delay = {int(by_ms * 1000)}")
        cursor.execute(f"ALTER DATABASE {name} SET commit_siblings = 0")
    connection.close()
    yield
    connection.close()


def _ratios(medians: dict[str, float]) -> dict[str, float]:
    bare, compute = medians["bare_commit_ms"], medians["compute_step_ms"]
    ratios = {
        "compute_to_bare": compute / bare,
        "action_to_bare": medians["action_step_ms"] / bare,
    }
    for peer, name in (("dbos", "dbos_step_ms"), ("langgraph", "langgraph_sync_step_ms")):
        if name in medians:
            ratios[f"{peer}_to_compute"] = medians[name] / compute
    return {name: round(ratio, 2) for name, ratio in ratios.items()}


def _url() -> str:
    at = connection.settings_dict
    host = at["HOST"] or "localhost"
    where = f"/{at['NAME']}?host={host}" + (f"&port={at['PORT']}" if at["PORT"] else "")
    return f"postgresql://{at['USER']}{':' + at['PASSWORD'] if at['PASSWORD'] else ''}@{where}"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="rounds after one warm-up")
    parser.add_argument("--steps", type=int, default=200, help="steps per round")
    return parser.parse_args()
