"""The worker's user carries a rollback that people ordered; it orders none, and signs off nothing for them."""

import pytest
from django.db import IntegrityError, ProgrammingError, transaction
from django.db.models.functions import Now

from releases.rollbacks import choosing, phases
from releases.rollbacks.models import EffectAcceptance, Rollback, RollbackOrder
from tests.config.test_roles_worker import as_worker, granted
from tests.engine.conftest import engine
from tests.engine.turns import Bench
from tests.releases.rollbacks.rolling import Rolling
from tests.releases.traffic import traffic

__all__ = ["engine", "granted"]
pytestmark = pytest.mark.django_db(transaction=True)


def test_the_worker_carries_a_rollback_and_accepts_nothing(granted: None, engine: Bench) -> None:
    rolling = Rolling(engine, traffic(engine))
    release = rolling.canary()
    rolling.done()
    goes, forks, ends = (rolling.asking(what=what) for what in "bcd")
    rollback = rolling.propose(release)
    begun = {"phase": "stopping", "started_at": Now(), "started_by": rolling.traffic.ada}
    with as_worker(), pytest.raises(IntegrityError, match="on_the_word_of_a_person"):
        Rollback.objects.update(**begun)
    said = {"tenant": rollback.tenant, "digest": rollback.digest, "user": rolling.traffic.ada}
    with as_worker(), pytest.raises(ProgrammingError), transaction.atomic():
        RollbackOrder.objects.create(rollback=rollback, said="start", **said)
    rollback = rolling.started(rollback)
    for run, choice in ((forks, "fork"), (ends, "cancel")):
        choosing.choose(rollback.pk, [run.pk], choice, why="so", user=rolling.traffic.ada)
    with as_worker():
        rollback = rolling.carry(rollback, until=phases.CLOSING)
        rolling.carry(rollback, most=1)
        assert set(rollback.runs.values_list("ended", flat=True)) == {
            phases.WENT_ON,
            phases.FORKED,
            phases.CANCELLED,
        }
        effect = rollback.effects.get(signed_off="")
        accepted = {"tenant": effect.tenant, "user": rolling.traffic.ada, "reason": "fine"}
        with pytest.raises(ProgrammingError), transaction.atomic():
            EffectAcceptance.objects.create(effect=effect, **accepted)
    goes.refresh_from_db()
    assert goes.combo == rollback.to_combo
    rolling.accept_all(rollback)
    with as_worker():
        assert rolling.carry(rollback).ended == "closed"
