"""The Grafana dashboard that is shipped loads, and asks only for what a scrape has."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import promql_parser
import pytest

from config.metrics import catalog
from execution.models import Process
from tests import ground
from tests.config.metrics.grafana import unread
from tests.config.metrics.scraping import Scraped, scrape
from tests.config.metrics.test_numbers import recovery
from tests.engine.turns import Bench
from tests.releases.traffic import traffic

DASHBOARD = ground.ROOT / "docs/grafana/kedge.json"
WHOLE: dict[str, Any] = json.loads(DASHBOARD.read_text())
PANELS = [panel for panel in WHOLE["panels"] if panel["type"] != "row"]
QUERIES = [(target["expr"], target["legendFormat"]) for p in PANELS for target in p["targets"]]


@dataclass
class Asked:
    """What one query needs: names with the labels of their selectors, and labels it groups by."""

    selectors: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    groups: set[str] = field(default_factory=set)


def asked(expression: str) -> Asked:
    """Read a query with the grammar of Prometheus. Raises ValueError for one that is none."""
    found = Asked()

    def look(node: promql_parser.Expr) -> None:
        if isinstance(node, promql_parser.VectorSelector):
            labels = {each.name: each.value for each in node.matchers.matchers}
            found.selectors.append((str(node.name), labels))
        if isinstance(node, promql_parser.AggregateExpr) and node.modifier is not None:
            found.groups.update(node.modifier.labels)

    promql_parser.walk(promql_parser.parse(expression), look)
    return found


def faults(expression: str, legend: str, scraped: Scraped) -> Iterator[str]:
    """What a query asks for and the scrape has not."""
    need, known = asked(expression), set[str]()
    for name, labels in need.selectors:
        series = scraped.values.get(name, {})
        known |= {label for key in series for label, _ in key}
        if not any(set(labels.items()) <= key for key in series):
            yield f"no series {name} {labels}"
    yield from (f"no label {label}" for label in need.groups - known)
    yield from (f"no label {label}" for label in set(re.findall(r"{{(\w+)}}", legend)) - known)


@pytest.fixture
def scraped(engine: Bench) -> Scraped:
    """A scrape of an installation in which everything has happened once."""
    run = engine.start(steps=1, tool="fake.look_up", what="one")
    engine.turn()
    engine.decide(run)
    engine.turn()
    recovery(run, 1, "recovered")
    traffic(engine).canary()
    Process.objects.create(name="s", kind="sweeper", pid=1, facts={"took_ms": 12, "did": {}})
    return scrape()


@pytest.mark.django_db(transaction=True)
def test_each_query_asks_for_names_and_labels_that_are_scraped(scraped: Scraped) -> None:
    assert {q: found for q, legend in QUERIES if (found := list(faults(q, legend, scraped)))} == {}
    # The other way round: what is scraped is also shown.
    shown = " ".join(expression for expression, _ in QUERIES)
    unseen = {each.name for each in catalog.METRICS if each.name not in shown}
    assert unseen <= {"kedge_recovery_open_age_seconds", "kedge_combo_effects_happened"}
    # And that a wrong name, label or value would be found.
    for wrong in ("kedge_recoverys", "sum by (end) (kedge_recoveries)", 'kedge_runs{status="x"}'):
        assert list(faults(wrong, "", scraped))
    assert list(faults("kedge_recoveries", "{{how}}", scraped)) == ["no label how"]


def test_every_metric_of_the_catalogue_says_its_unit_and_what_it_is() -> None:
    for metric in catalog.METRICS:
        assert re.fullmatch(r"kedge_[a-z_]+", metric.name)
        assert metric.help.endswith(".")
        if metric.buckets or "oldest" in metric.name or "duration" in metric.name:
            assert metric.name.endswith("_seconds")


def test_grafana_reads_every_member_of_the_dashboard() -> None:
    assert list(unread(WHOLE)) == []
    assert list(unread({**WHOLE, "pannels": []})) == ["/pannels"]


def test_panels_stand_beside_each_other_on_grafanas_grid() -> None:
    taken: dict[tuple[int, int], int] = {}
    for panel in WHOLE["panels"]:
        at = panel["gridPos"]
        assert at["x"] + at["w"] <= 24
        for cell in ((x, y) for x in range(at["x"], at["x"] + at["w"])
                     for y in range(at["y"], at["y"] + at["h"])):  # fmt: skip
            assert taken.setdefault(cell, panel["id"]) == panel["id"]
    assert len({panel["id"] for panel in WHOLE["panels"]}) == len(WHOLE["panels"])
    assert all(panel["description"] for panel in PANELS)
    assert all(t["datasource"]["uid"] == "${datasource}" for p in PANELS for t in p["targets"])
