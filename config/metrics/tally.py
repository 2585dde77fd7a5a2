"""Adds up what the parts counted, and writes it as Prometheus' own client knows it."""

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from itertools import accumulate
from typing import Final

from prometheus_client.core import GaugeHistogramMetricFamily, GaugeMetricFamily, Metric

from config.metrics import catalog

MOST_TENANTS: Final = 200
OTHERS: Final = "(others)"
Labels = tuple[str, ...]


class Tally:
    """The numbers of one part. `slugs`: tenants that are shown by themselves; None shows sums."""

    def __init__(self, slugs: Mapping[int, str] | None) -> None:
        self._slugs = slugs
        self._values: dict[str, dict[Labels, float]] = {}
        self._measured: dict[str, dict[Labels, list[float]]] = {}

    def add(self, name: str, value: float, tenant: int | None = None, **labels: str) -> None:
        """Count a value in. Raises KeyError for a metric or a label that the catalogue lacks."""
        metric = catalog.BY_NAME[name]
        found, key = self._values.setdefault(name, {}), self._key(metric, tenant, labels)
        before = found.get(key, 0.0)
        found[key] = before + value if metric.folds == catalog.ADD else max(before, value)

    def measure(self, name: str, seconds: float, tenant: int | None = None, **labels: str) -> None:
        """Take one duration into a histogram."""
        metric = catalog.BY_NAME[name]
        found = self._measured.setdefault(name, {})
        found.setdefault(self._key(metric, tenant, labels), []).append(seconds)

    def nothing(self, name: str, **labels: str) -> None:
        """There is none of it, which is said, so that a graph begins at zero."""
        if self._slugs is None or not catalog.BY_NAME[name].of_tenants:
            if catalog.BY_NAME[name].buckets:
                self._measured.setdefault(name, {}).setdefault((), [])
            else:
                self.add(name, 0, None, **labels)

    def families(self) -> Iterator[Metric]:
        """What was counted."""
        for name, values in self._values.items():
            metric = catalog.BY_NAME[name]
            family = GaugeMetricFamily(name, metric.help, labels=self._labels(metric))
            for key, value in sorted(values.items()):
                family.add_metric(key, value)
            yield family
        for name, measured in self._measured.items():
            metric = catalog.BY_NAME[name]
            histogram = GaugeHistogramMetricFamily(name, metric.help, labels=self._labels(metric))
            for key, seconds in sorted(measured.items()):
                histogram.add_metric(key, _bucketed(metric, seconds), sum(seconds))
            yield histogram

    def _labels(self, metric: catalog.Metric) -> Labels:
        by_tenant = metric.of_tenants and self._slugs is not None
        return (*metric.labels, *(["tenant"] if by_tenant else []))

    def _key(self, metric: catalog.Metric, tenant: int | None, labels: Mapping[str, str]) -> Labels:
        if set(labels) != set(metric.labels):
            raise KeyError(f"{metric.name} has the labels {metric.labels}")
        own = tuple(labels[name] for name in metric.labels)
        if self._slugs is None or not metric.of_tenants:
            return own
        return (*own, "" if tenant is None else self._slugs.get(tenant, OTHERS))


def _bucketed(metric: catalog.Metric, seconds: list[float]) -> list[tuple[str, float]]:
    counts = [0] * (len(metric.buckets) + 1)
    for each in seconds:
        counts[bisect_left(metric.buckets, each)] += 1
    names = [*(f"{bound:g}" for bound in metric.buckets), "+Inf"]
    return [(name, float(n)) for name, n in zip(names, accumulate(counts), strict=True)]
