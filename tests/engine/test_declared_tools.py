"""Declared tools under the whole engine, in real systems: asked, approved, sent once, found again."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_django import Settings

from canonical.digests import sha256_hex
from checkpoints import reading, registry
from checkpoints.models import Case, Run
from reconciliation.models import Action, Receipt
from tests.contract.conftest import WORLDS
from tests.contract.worlds import World
from tests.engine import declared
from tests.engine.turns import Bench

ASKABLE = ["sql", "http_void", "http_look_up", "http_versioned", "objects"]


@pytest.fixture
def bench(engine: Bench, settings: Settings) -> Iterator[Bench]:
    settings.KEDGE_AGENTS = "tests.engine.declared"
    registry.agents.cache_clear()
    yield engine
    declared.TOOLS.by_name.clear()


@pytest.fixture
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    made = WORLDS[request.param][0](tmp_path)
    declared.TOOLS.by_name[made.tool.name] = made.tool
    yield made
    made.close()


def asked(bench: Bench, world: World) -> Run:
    """A run that waits for the approval of an effect in this world."""
    call = world.call()
    given = dict(call.parameters)
    document = given.get("document")
    text = call.read_blob(document).decode() if document else ""
    run = bench.start("declared", tool=world.tool.name, parameters=given, text=text)
    bench.turn()
    run.refresh_from_db()
    assert (run.status, run.reason) == ("waiting", "for_approval")
    return run


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("world", [*ASKABLE, "http_keyed"], indirect=True)
def test_what_was_approved_happens_once(bench: Bench, world: World) -> None:
    run = asked(bench, world)
    before = world.requests()
    bench.decide(run)
    bench.turn()
    run.refresh_from_db()
    action = Action.objects.get(run=run)
    assert (run.status, action.outcome, action.because) == ("succeeded", "happened", "answered")
    assert world.requests() == before + 1
    assert world.effects(bytes(action.key).hex()) == 1
    assert Receipt.objects.get(action=action).wire_digest == sha256_hex(bytes(action.parameters))
    assert not Case.objects.filter(run=run).exists()
    assert reading.verify_run(run) == []


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("world", ASKABLE, indirect=True)
def test_a_lost_answer_is_found_again_and_never_sent_again(bench: Bench, world: World) -> None:
    run = asked(bench, world)
    before = world.requests()
    world.lose_answers()
    bench.decide(run)
    bench.turn()
    run.refresh_from_db()
    action = Action.objects.get(run=run)
    assert (run.status, action.outcome, action.because) == ("succeeded", "happened", "looked_up")
    assert world.requests() == before + 1
    assert world.effects(bytes(action.key).hex()) == 1


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("world", ["http_void", "objects"], indirect=True)
def test_with_a_credential_that_stopped_working_nothing_is_sent(bench: Bench, world: World) -> None:
    run = asked(bench, world)
    before = world.requests()
    bench.decide(run)
    world.refuse()
    bench.turn()
    run.refresh_from_db()
    assert run.status in ("waiting", "held")
    assert Action.objects.get(run=run).stands == "proposed"
    assert world.requests() == before
