"""Which PostgreSQL, which journal: everything that is not what was stored stops effects by itself."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from django.db import IntegrityError, transaction
from pytest_django import Settings

from approvals.models import ApprovalRequest
from checkpoints import stops
from checkpoints.errors import IllegalMoveError, StoppedError
from checkpoints.models import Stop
from reconciliation import journal
from reconciliation.behind import comparing, noticing
from reconciliation.behind.models import Divergence, JournalMark
from reconciliation.errors import JournalError
from reconciliation.journal import belonging
from tenants.models import Installation
from tests.checkpoints.lifts import lifted
from tests.checkpoints.test_stops import under
from tests.engine.turns import Bench
from tests.reconciliation.behind.restores import approved, unused
from tests.reconciliation.deskwork import guards_off
from tests.reconciliation.ready import Ready, ready


@pytest.fixture
def it(engine: Bench) -> Ready:
    """An effect that was sent, with its line."""
    it = ready(engine)
    attempt = it.dispatch()
    journal.write(it.action, attempt)
    it.answer(attempt)
    assert comparing.compare(whole=True) is None
    return it


def other_system(_folder: Path) -> None:
    """A restored dump, a clone that was initialised anew."""
    with guards_off():
        Installation.objects.update(system_identifier="7000000000000000000")


def other_timeline(_folder: Path) -> None:
    """A promoted standby, a restore to a point in time."""
    with guards_off():
        Installation.objects.update(timeline=99)


def no_journal(folder: Path) -> None:
    """The journal is lost."""
    shutil.rmtree(folder)


def copied_journal(folder: Path) -> None:
    """A clone with a copy of the journal's folder."""
    shutil.copytree(folder, folder.with_name("copy"))
    shutil.rmtree(folder)
    folder.with_name("copy").rename(folder)


def cut_journal(folder: Path) -> None:
    """The newest lines are gone."""
    (folder / "effects.jsonl").write_bytes(b"")


def changed_journal(folder: Path) -> None:
    """A line says something else."""
    path = folder / "effects.jsonl"
    path.write_bytes(path.read_bytes().replace(b"world/a-0", b"world/b-0"))


@pytest.mark.parametrize(
    ("done", "codes"),
    [
        (other_system, {"other_system"}),
        (other_timeline, {"other_timeline"}),
        (no_journal, {"journal_lost"}),
        (copied_journal, {"journal_other"}),
        (cut_journal, {"journal_lost"}),
        (changed_journal, {"journal_broken"}),
    ],
)
def test_what_is_apart_stops_all_effects_until_two_people_lift_it(
    it: Ready, settings: Settings, done: Callable[[Path], None], codes: set[str]
) -> None:
    done(Path(settings.KEDGE_JOURNAL_DIR))
    belonging.let_go()
    divergence = comparing.compare(whole=True)
    assert divergence is not None
    assert codes <= set(divergence.codes)
    with pytest.raises(StoppedError, match="stopped by"):
        stops.refuse_if_stopped("effects", under(it.run.tenant))
    assert comparing.compare() == divergence
    lifted(Stop.objects.get())
    stops.refuse_if_stopped("effects", under(it.run.tenant))
    assert comparing.compare(whole=True) is None
    journal.write(it.action, it.action.attempts.get())
    assert comparing.compare(whole=True) is None


@pytest.mark.parametrize("done", [other_system, other_timeline])
def test_the_last_check_refuses_before_anybody_has_noticed(
    it: Ready, done: Callable[[Path], None]
) -> None:
    done(Path())
    assert not Stop.objects.exists()
    with pytest.raises(StoppedError, match="not the PostgreSQL"):
        stops.refuse_if_stopped("effects", under(it.run.tenant))
    stops.refuse_if_stopped("new_runs", under(it.run.tenant))


@pytest.mark.parametrize("done", [other_system, other_timeline, no_journal, copied_journal])
def test_no_line_is_written_on_another_server_or_into_another_journal(
    it: Ready, settings: Settings, done: Callable[[Path], None]
) -> None:
    done(Path(settings.KEDGE_JOURNAL_DIR))
    belonging.let_go()
    with pytest.raises(JournalError, match="do not belong together"):
        journal.write(it.action, it.action.attempts.get())


def test_no_line_is_written_by_a_record_that_went_back_under_a_living_process(it: Ready) -> None:
    action, attempt = it.stored_whole(), it.action.attempts.get()
    journal.room().add({**next(iter(journal.lines())), "attempt": str(action.pk)})
    belonging.let_go()
    with pytest.raises(JournalError, match="does not know the newest line"):
        journal.write(action, attempt)
    comparing.compare()
    journal.write(action, attempt)


def test_a_journal_that_lacks_an_answered_attempt_was_lost(it: Ready) -> None:
    """A clone beside the original that began a journal of its own, or one that was taken back."""
    path = journal.path()
    path.write_bytes(b"\n")
    with guards_off():
        JournalMark.objects.update(seq=0, digest="", at="", receipt=0)
    divergence = comparing.compare(whole=True)
    assert divergence is not None
    assert divergence.codes == ["journal_lost"]


def test_what_was_allowed_before_counts_no_more(engine: Bench) -> None:
    approved(engine)
    other_timeline(Path())
    comparing.compare()
    assert unused() == 1
    with pytest.raises(
        IllegalMoveError, match="approvals from before that are not withdrawn yet: 1"
    ):
        lifted(Stop.objects.get())
    assert noticing.withdraw_grants() == 1
    assert unused() == 0
    assert ApprovalRequest.objects.get().state == "withdrawn"
    lifted(Stop.objects.get())


def test_an_effect_without_an_answer_is_one_of_which_nobody_knows(engine: Bench) -> None:
    it = ready(engine)
    journal.write(it.action, it.dispatch())
    other_timeline(Path())
    comparing.compare()
    assert it.stored().outcome == "unknown"


def test_only_lifting_moves_where_the_record_is(it: Ready) -> None:
    refused: list[Callable[[], object]] = [
        lambda: Installation.objects.update(timeline=2),
        lambda: Installation.objects.all().delete(),
        lambda: JournalMark.objects.update(place="another"),
        lambda: JournalMark.objects.update(seq=0),
        lambda: JournalMark.objects.all().delete(),
    ]
    for change in refused:
        with pytest.raises(IntegrityError), transaction.atomic():
            change()


def test_a_divergence_ends_by_nobodys_own_statement(it: Ready) -> None:
    other_timeline(Path())
    divergence = comparing.compare()
    assert divergence is not None
    with pytest.raises(IntegrityError), transaction.atomic():
        Divergence.objects.update(ended_at=divergence.noticed_at, ended_by="me")
    with pytest.raises(IntegrityError), transaction.atomic():
        Divergence.objects.create(stop_id=divergence.stop_id, noticed_by="twice")


def test_the_database_refuses_to_lift_over_an_open_grant(engine: Bench, settings: Settings) -> None:
    approved(engine)
    other_timeline(Path())
    comparing.compare()
    settings.KEDGE_LIFT_CHECKS = []
    with pytest.raises(IntegrityError, match="approvals from before"):
        lifted(Stop.objects.get())


def test_compared_again_it_asks_postgresql_nothing_per_line(
    it: Ready, django_assert_num_queries: Callable[[int], object]
) -> None:
    action, attempt = it.stored_whole(), it.action.attempts.get()
    journal.write(action, attempt)
    with django_assert_num_queries(0):  # type: ignore[attr-defined]
        journal.write(action, attempt)
