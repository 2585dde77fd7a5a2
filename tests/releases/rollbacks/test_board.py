"""The board: an effect is signed off as the ledger has it, or by a named person with a reason."""

from typing import Any, NoReturn

import pytest
from django.db import IntegrityError, transaction
from django.db.models.functions import Now

from checkpoints.models import Case, Run
from checkpoints.scopes import Scope
from reconciliation import stopping, verdicts
from reconciliation.tools import Call
from reconciliation.verdicts import Given
from releases.rollbacks import carrying, phases, signing
from releases.rollbacks.errors import SignOffRefusedError
from releases.rollbacks.models import OutstandingEffect, Rollback
from tenants.actors import Actor
from tenants.errors import Denied
from tests.engine.faketools import Fake, effects
from tests.people import bob
from tests.reconciliation.deskwork import guards_off
from tests.releases.rollbacks.rolling import Rolling

pytestmark = pytest.mark.django_db


def unknown(rolling: Rolling, tool: str) -> Run:
    """A run of the candidate whose effect was sent and is in the world; the answer was lost."""
    run = rolling.asking(tool)
    silent = rolling.bench.fault("silent")
    lost = rolling.bench.fault("drop_answer")
    rolling.approve(run)
    rolling.turn(run)
    lost.unlink()
    silent.unlink()
    run.refresh_from_db()
    assert run.actions.get().outcome == "unknown"
    return run


def test_look_ups_go_on_although_effects_of_the_combo_are_stopped(rolling: Rolling) -> None:
    release = rolling.canary()
    run = unknown(rolling, "fake.void")
    rollback = rolling.carry(rolling.start(release), until=phases.RECONCILING)
    assert not carrying.carry_on(rollback.pk)
    rollback.refresh_from_db()
    assert rollback.waits_for == "Waits for 1 effect nobody knows of."
    Run.objects.filter(pk=run.pk).update(due_at=Now())
    rolling.turns()
    rollback = rolling.carry(rollback, until=phases.CLOSING)
    effect = rollback.effects.get(action__run=run)
    assert (effect.state, effect.signed_off) == ("happened", "")
    assert len(effects()) == 1


def test_what_nobody_can_ask_about_takes_a_person(rolling: Rolling) -> None:
    release = rolling.canary()
    run = unknown(rolling, "fake.nothing")
    case = Case.objects.get(run=run)
    rollback = rolling.carry(rolling.start(release), until=phases.RECONCILING)
    assert not carrying.carry_on(rollback.pk)
    given = Given("it_happened", reason="I looked", evidence="the world itself")
    verdicts.give(case.pk, given, user=rolling.bench.approver)
    rolling.turns()
    rollback = rolling.carry(rollback, until=phases.CLOSING)
    assert rollback.effects.get().state == "happened"


def test_what_may_only_be_sent_again_to_be_known_takes_a_person_too(
    rolling: Rolling, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = rolling.canary()
    run = rolling.asking("fake.keyed")
    rolling.approve(run)
    perform = Fake.perform

    def stopped_meanwhile(tool: Fake, call: Call) -> NoReturn:
        perform(tool, call)
        where = Scope(rolling.traffic.tenant, combo=rolling.traffic.candidate)
        stopping.stop(where, "effects", why="seen enough", actor=Actor.machine("test"))
        raise ConnectionError("the answer was lost")

    monkeypatch.setattr(Fake, "perform", stopped_meanwhile)
    rolling.turn(run)
    run.refresh_from_db()
    assert (run.status, run.reason) == ("waiting", "for_stop")
    rollback = rolling.carry(rolling.start(release), until=phases.RECONCILING)
    assert not carrying.carry_on(rollback.pk)
    run.refresh_from_db()
    assert (run.status, run.reason) == ("held", "outcome_unknown")
    assert rollback.effects.get().state == "unknown"
    assert len(effects()) == 1


def closing(rolling: Rolling) -> Rollback:
    release = rolling.canary()
    rolling.done()
    return rolling.carry(rolling.start(release), until=phases.CLOSING)


def test_compensating_closes_it_once_that_has_happened(rolling: Rolling) -> None:
    rollback = closing(rolling)
    effect = rollback.effects.get()
    run = signing.compensate(rollback.pk, effect.pk, why="nonsense", user=rolling.traffic.ada)
    carrying.carry_on(rollback.pk)
    assert rollback.effects.get().signed_off == ""
    rolling.turns()
    rolling.approve(run)
    rolling.turns()
    rollback = rolling.carry(rollback)
    effect.refresh_from_db()
    assert (effect.state, effect.signed_off, rollback.ended) == (
        "compensated",
        "compensated",
        "closed",
    )


def test_nobody_accepts_what_nobody_knows(rolling: Rolling) -> None:
    release = rolling.canary()
    unknown(rolling, "fake.nothing")
    rollback = rolling.carry(rolling.start(release), until=phases.RECONCILING)
    carrying.carry_on(rollback.pk)
    with pytest.raises(SignOffRefusedError, match="not known yet"):
        rolling.accept_all(rollback)


def test_it_takes_both_rights_and_a_reason(rolling: Rolling) -> None:
    rollback = closing(rolling)
    ids = [rollback.effects.get().pk]
    with pytest.raises(Denied):
        signing.accept(rollback.pk, ids, reason="fine", user=bob(rolling.traffic.tenant))
    with pytest.raises(SignOffRefusedError, match="why"):
        signing.accept(rollback.pk, ids, reason=" ", user=rolling.traffic.ada)
    assert signing.accept(rollback.pk, ids, reason="fine", user=rolling.traffic.ada) == 1
    with pytest.raises(SignOffRefusedError, match="signed off by now"):
        signing.accept(rollback.pk, ids, reason="fine", user=rolling.traffic.ada)


def test_effects_are_signed_off_once_traffic_is_back(rolling: Rolling) -> None:
    release = rolling.canary()
    rolling.done()
    rollback = rolling.start(release)
    with pytest.raises(SignOffRefusedError, match="once traffic is back"):
        signing.accept(rollback.pk, [1], reason="fine", user=rolling.traffic.ada)


def test_the_database_signs_nothing_off_by_itself(rolling: Rolling) -> None:
    rollback = closing(rolling)
    forged: list[tuple[dict[str, Any], str]] = [
        ({"signed_off": "reconciled"}, "an_effect_is_signed_off_as_the_ledger_has_it"),
        ({"signed_off": "compensated"}, "an_effect_is_signed_off_as_the_ledger_has_it"),
        ({"signed_off": "accepted"}, "a_named_person_accepts_an_effect_with_a_reason"),
        ({"signed_off": "accepted", "reason": "fine"}, "a_named_person_accepts_an_effect"),
    ]
    for change, rule in forged:
        with pytest.raises(IntegrityError, match=rule), transaction.atomic():
            rollback.effects.update(**change, signed_at=Now())


def test_the_database_takes_no_acceptance_that_a_person_did_not_give(rolling: Rolling) -> None:
    rollback = closing(rolling)
    forged = {"signed_off": "accepted", "reason": "fine", "signed_by": rolling.traffic.ada}
    with pytest.raises(IntegrityError, match="a_named_person_accepts_an_effect"):
        rollback.effects.update(**forged, signed_at=Now())


def test_the_database_closes_nothing_while_an_effect_is_open(rolling: Rolling) -> None:
    rollback = closing(rolling)
    with pytest.raises(IntegrityError, match="a_rollback_closes_when_nothing_is_open"):
        Rollback.objects.filter(pk=rollback.pk).update(
            phase="closed", ended="closed", ended_at=Now()
        )


def test_the_database_closes_nothing_while_an_effect_is_not_listed(rolling: Rolling) -> None:
    rollback = closing(rolling)
    with guards_off():
        OutstandingEffect.objects.all().delete()
    with pytest.raises(IntegrityError, match="a_rollback_closes_when_nothing_is_open"):
        Rollback.objects.filter(pk=rollback.pk).update(
            phase="closed", ended="closed", ended_at=Now()
        )
