"""Revoking from a shell."""

from uuid import uuid4

import pytest
from django.core.management.base import CommandError

from checkpoints.models import Event, Run
from tests.engine.turns import Bench
from tests.execution.management.test_commands import say


def test_revoke_takes_a_run_from_its_worker(engine: Bench) -> None:
    engine.start()
    lease = engine.acquire()
    said = say("revoke", lease.run_id, "--why", "it hangs")
    assert said == f"{lease.run_id} is taken from its worker; now it is queued\n"
    assert Run.objects.get().fence == lease.fence + 1
    assert Event.objects.get(what="revoked").actor == "command line"


def test_revoke_refuses_with_a_sentence(engine: Bench) -> None:
    run = engine.start()
    with pytest.raises(CommandError, match="nobody works on this run now: it is queued"):
        say("revoke", run.pk, "--why", "x")
    with pytest.raises(CommandError):
        say("revoke", uuid4(), "--why", "x")
