"""A worker's database user starts twins, takes their turns and keeps what they did."""

import pytest

from checkpoints.models import Twin
from releases.shadows import keeping, starting, sweeping
from releases.shadows.models import Compared
from tests.config.test_roles_worker import as_worker, granted
from tests.doorbell import doorbell
from tests.engine.conftest import engine
from tests.engine.turns import Bench
from tests.releases.shadows.beside import released, stage
from tests.releases.traffic import traffic

__all__ = ["doorbell", "engine", "granted"]
pytestmark = pytest.mark.django_db(transaction=True)


def test_shadows_are_the_workers(
    engine: Bench, granted: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = stage(engine, monkeypatch)
    release = released(traffic(engine), made)
    live = made.live()
    with as_worker():
        assert starting.start_due() == 1
        engine.turn()
    engine.decide(live)
    with as_worker():
        engine.turn()
        assert sweeping.wake() == 1
        engine.turn()
        assert sweeping.end_strays() == 0
        assert keeping.keep_due() == 1
    assert Compared.objects.get().kind == "same"
    assert Twin.objects.get().series == release.pk
