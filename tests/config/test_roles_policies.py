"""A worker, which runs agents and tools, says no policy of a tenant."""

import pytest
from django.db import ProgrammingError, transaction

from releases.gates import policies
from releases.usual.models import UsualPolicy
from tests.config.test_roles_worker import as_worker, granted
from tests.engine.conftest import engine
from tests.engine.turns import Bench
from tests.releases.traffic import traffic
from tests.releases.usual.test_saying import TWO, say

__all__ = ["engine", "granted"]
pytestmark = pytest.mark.django_db(transaction=True)


def test_the_worker_reads_a_policy_and_says_none(granted: None, engine: Bench) -> None:
    here = traffic(engine)
    with as_worker(), pytest.raises(ProgrammingError, match="permission denied"):
        say(here, TWO)
    said = say(here, TWO)
    with as_worker():
        assert UsualPolicy.objects.get().policy_digest == policies.read(TWO).digest
        for change in (
            lambda: UsualPolicy.objects.update(why="another"),
            lambda: UsualPolicy.objects.filter(pk=said.pk).delete(),
        ):
            with pytest.raises(ProgrammingError, match="permission denied"), transaction.atomic():
                change()
