"""Folders of spooled receipts: known when their machine is gone, brought in wherever they are."""

import shutil
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone
from pytest_django import Settings

from execution.pages import machine
from reconciliation import ledger, spool, spoolplaces, states
from reconciliation.errors import SpoolError
from reconciliation.models import Receipt, SpoolPlace
from tenants.actors import Actor
from tenants.models import AuditRow
from tests.engine.turns import Bench
from tests.reconciliation.ready import HAPPENED, Ready, ready

SHELL = Actor.machine("test")


@pytest.fixture
def it(engine: Bench) -> Ready:
    return ready(engine)


@pytest.fixture
def elsewhere(it: Ready, settings: Settings, tmp_path: Path) -> Path:
    """The spool of another machine that heard an answer and was not seen since."""
    attempt, here = it.dispatch(), settings.KEDGE_JOURNAL_DIR
    settings.KEDGE_JOURNAL_DIR = tmp_path / "other"
    spool.put(attempt.id, HAPPENED, fence=attempt.fence)
    spoolplaces.seen()
    SpoolPlace.objects.update(machine="other", seen_at=timezone.now() - timedelta(hours=3))
    settings.KEDGE_JOURNAL_DIR = here
    return tmp_path / "other"


def command(*words: Any) -> str:
    out = StringIO()
    call_command("spool", *map(str, words), stdout=out)
    return out.getvalue()


def spools() -> machine.Check:
    (check,) = (each for each in machine.checks([]) if each.what == "Spools of receipts")
    return check


def test_a_folder_is_one_place_wherever_it_is(it: Ready, settings: Settings) -> None:
    spoolplaces.seen()
    first = SpoolPlace.objects.get()
    assert first.folder == str(spool.directory())
    moved = Path(settings.KEDGE_JOURNAL_DIR).with_name("moved")
    Path(settings.KEDGE_JOURNAL_DIR).rename(moved)
    settings.KEDGE_JOURNAL_DIR = moved
    spoolplaces.seen()
    assert SpoolPlace.objects.get().pk == first.pk
    assert SpoolPlace.objects.get().folder.startswith(str(moved))


def test_it_is_said_at_most_once_a_minute(it: Ready) -> None:
    spoolplaces.seen()
    SpoolPlace.objects.update(machine="said before")
    spoolplaces.seen()
    assert SpoolPlace.objects.get().machine == "said before"
    spoolplaces.seen(every=0.0)
    assert SpoolPlace.objects.get().machine != "said before"


def test_who_ends_in_order_leaves_no_alarm_but_one_with_receipts_does(it: Ready) -> None:
    spoolplaces.seen()
    spoolplaces.left()
    assert not SpoolPlace.objects.exists()
    attempt = it.dispatch()
    spoolplaces.seen()
    spool.put(attempt.id, HAPPENED, fence=attempt.fence)
    spoolplaces.left()
    assert SpoolPlace.objects.exists()


def test_the_system_page_asks_for_the_folder_of_a_machine_that_is_gone(elsewhere: Path) -> None:
    check = spools()
    assert not check.ok
    assert f"{elsewhere}/spool of other" in check.said
    assert "manage.py spool bring-in" in check.next
    command("bring-in", elsewhere)
    assert spools().ok


def test_a_machine_that_was_seen_lately_is_no_trouble(it: Ready) -> None:
    spoolplaces.seen()
    assert spools().ok


@pytest.mark.parametrize("part", ["", "spool"])
def test_a_folder_brought_here_is_recorded_once_and_audited(
    it: Ready, elsewhere: Path, tmp_path: Path, part: str
) -> None:
    brought = shutil.copytree(elsewhere, tmp_path / "brought")
    assert "1 receipts" in command("bring-in", brought / part)
    assert (it.stored().outcome, Receipt.objects.count()) == ("happened", 1)
    assert not SpoolPlace.objects.exists()
    row = AuditRow.objects.get(verb="bring_in_spool")
    assert (row.detail["receipts"], row.detail["unreadable"]) == (1, 0)
    assert "0 receipts" in command("bring-in", brought / part)
    assert "1 receipts" in command("bring-in", elsewhere)  # the original, found after all
    assert Receipt.objects.count() == 1


def test_what_cannot_be_read_stays_and_is_said(it: Ready, elsewhere: Path) -> None:
    (elsewhere / "spool" / f"{uuid4()}.json").write_text("{torn")
    with pytest.raises(CommandError, match="1 files cannot be read"):
        command("bring-in", elsewhere)
    assert it.stored().outcome == "happened"
    assert not spools().ok
    assert AuditRow.objects.get(verb="bring_in_spool").detail["unreadable"] == 1


def test_a_late_receipt_from_elsewhere_holds_its_run(it: Ready, elsewhere: Path) -> None:
    ledger.settle(it.run.id, it.action.id, states.WRITTEN_OFF, because=states.BY_PERSON)
    command("bring-in", elsewhere)
    assert (it.run.status, it.run.reason) == ("held", "contradicted")


def test_a_lost_folder_is_given_up_for_a_reason_and_audited(elsewhere: Path) -> None:
    place = SpoolPlace.objects.get().pk
    assert str(place) in command("list")
    command("give-up", place, "--reason", "the disk burnt")
    assert spools().ok
    row = AuditRow.objects.get(verb="give_up_spool")
    assert (row.subject, row.detail) == (f"spool {place}", {"reason": "the disk burnt"})
    with pytest.raises(CommandError, match="nothing is known of a spool"):
        command("give-up", place, "--reason", "again")


def test_no_folder_is_no_spool(it: Ready, tmp_path: Path) -> None:
    with pytest.raises(SpoolError, match="is no folder"):
        spoolplaces.bring_in(tmp_path / "nothing", actor=SHELL)
    with pytest.raises(SpoolError, match="nothing is known"):
        spoolplaces.give_up(UUID(int=0), actor=SHELL, reason="x")
