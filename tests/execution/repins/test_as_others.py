"""Runs are moved by the database users of worker and web; what succeeds what is a deployer's word."""

import pytest
from django.db import ProgrammingError

from checkpoints.models import Combo, Run, Successor
from checkpoints.registry import runnable_combos
from execution import repinning, succeeding
from tenants import wall
from tests.checkpoints.combos import another
from tests.config.test_roles_worker import as_worker, granted
from tests.engine.turns import Bench
from tests.execution.repins.pools import CAUSE, NEW, OLD, SHELL, code, wear
from tests.execution.runs import bounded_turn, full, waiting
from tests.wall.role import as_web

__all__ = ["granted"]
pytestmark = pytest.mark.django_db(transaction=True)


def order(run: Run, to: Combo) -> str:
    return repinning.order(run, to, why="it is worse", cause=CAUSE, actor=SHELL).ended


def test_a_worker_takes_a_state_back_and_moves_its_run(
    granted: None, engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = wear(monkeypatch, code(OLD))
    wear(monkeypatch, code(NEW))
    run = engine.start("odd")
    bounded_turn(engine, 10)
    with as_worker():
        assert order(run, old) == ""
        engine.turn()
    assert full(run).combo == old


def test_a_worker_takes_over_and_declares_nothing(
    granted: None, engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = wear(monkeypatch, code(OLD))
    run = engine.start("odd")
    bounded_turn(engine, 1)
    new = wear(monkeypatch, code(NEW))
    with as_worker(), pytest.raises(ProgrammingError, match="permission denied"):
        Successor.objects.create(combo=new, of=old, declared_by="me")
    Successor.objects.create(combo=new, of=old, declared_by="a deployer")
    with as_worker():
        assert succeeding.take_over(runnable_combos()) == 1
    assert full(run).combo == new


def test_the_web_process_orders_and_moves_at_once(web_user: None, engine: Bench) -> None:
    run, to = waiting(engine), another("steps", "otherwise")
    with as_web():
        wall.show([engine.tenant.pk], [engine.tenant.pk])
        assert order(run, to) == "moved"
    assert full(run).combo == to
