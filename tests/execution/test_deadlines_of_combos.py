"""How long a node may take is said by the combo of the run, then by its code, then by the practice."""

from dataclasses import replace

import pytest
from django.conf import settings

from canonical import json as canonical
from checkpoints import reading, registry
from checkpoints.models import Combo, Run
from checkpoints.timers import SelfStop
from execution.nodes import deadline_seconds
from execution.work import Work
from tests.engine.turns import Bench


@pytest.fixture
def work(engine: Bench) -> Work:
    engine.start(steps=1)
    lease = engine.acquire()
    run = Run.objects.select_related("tenant", "combo").get()
    graph = registry.graph_of("steps")
    with SelfStop() as self_stop:
        return Work(lease, run, graph, reading.load_head(run), self_stop, lambda: False)


@pytest.mark.django_db(transaction=True)
def test_the_combo_goes_before_the_code_and_the_code_before_the_practice(work: Work) -> None:
    node = work.graph.nodes["think"]
    assert deadline_seconds(work, node) == settings.PRACTICE["timeout_seconds"]
    assert deadline_seconds(work, replace(node, deadline_seconds=40)) == 40
    said = {"settings": {"deadline_seconds": {"think": 7}}}
    work.run.combo = Combo(task_type="steps", manifest=canonical.dumps(said))
    assert deadline_seconds(work, replace(node, deadline_seconds=40)) == 7
    assert deadline_seconds(work, work.graph.nodes["count"]) == settings.PRACTICE["timeout_seconds"]
