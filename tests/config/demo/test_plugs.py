"""Pull the plug: one run's worker dies right after its push, once; the push is on the remote once."""

import signal
from pathlib import Path

import pytest

from approvals import decisions
from approvals.decisions import Given
from checkpoints.models import Run
from config.demo import plugs, told
from config.demo.twin import asked as twin
from reconciliation.models import Attempt
from tenants.actors import Actor
from tenants.models import User
from tests.config.demo import turns
from tests.opening import open_all, read_and_decide

pytestmark = pytest.mark.django_db(transaction=True)


def approve(run: Run, operator: User, *, shown: str | None = None) -> None:
    request = turns.asked(run)
    open_all(request.pk, operator)
    with plugs.armed(request):
        decisions.decide(
            request.pk,
            Given("approve", "", request.action_hash if shown is None else shown),
            actor=Actor.person(operator),
            user=operator,
        )


def test_the_push_arrives_once_though_its_worker_dies(
    demo: Path, operator: User, small_remotes: Path
) -> None:
    run = turns.start("aiosmtpd")
    assert turns.work() == 0
    approve(run, operator)
    assert turns.work(KEDGE_PLUGS=str(demo / "plugs")) == -signal.SIGKILL
    assert not plugs.plug_of(run.id).exists()
    turns.take_over()
    remote = small_remotes / "harbour" / "aiosmtpd.git"
    assert turns.commits(remote, run.business_key) == 1
    assert Attempt.objects.filter(action__run=run).count() == 1
    (story,) = told.of(run.tenant)
    assert "then the plug was pulled" in story.sentences[0]
    assert "nothing was sent again" in story.sentences[1]


def test_no_other_run_is_touched(demo: Path, operator: User, small_remotes: Path) -> None:
    plugged, other = turns.start("aiosmtpd"), turns.start("gunicorn")
    assert turns.work() == 0
    approve(plugged, operator)
    decide(other, operator)
    Run.objects.filter(pk=plugged.pk).update(due_at=None)
    assert turns.work(KEDGE_PLUGS=str(demo / "plugs")) == 0
    assert turns.commits(small_remotes / "harbour" / "gunicorn.git", other.business_key) == 1
    assert plugs.plug_of(plugged.id).exists()


def test_a_no_leaves_nothing_armed(demo: Path, operator: User, small_remotes: Path) -> None:
    run = turns.start("aiosmtpd")
    turns.work()
    with pytest.raises(Exception, match="request"):
        approve(run, operator, shown="0" * 64)
    assert not plugs.plug_of(run.id).exists()
    assert not twin.plug_of(str(turns.asked(run).action_id)).exists()
    assert plugs.runs() == []


def test_a_second_click_arms_nothing(demo: Path, operator: User, small_remotes: Path) -> None:
    run = turns.start("aiosmtpd")
    turns.work()
    request = turns.asked(run)
    approve(run, operator)
    plugs.plug_of(run.id).unlink()
    with plugs.armed(request) as first:
        pass
    assert not first
    assert not plugs.plug_of(run.id).exists()


def decide(run: Run, operator: User) -> None:
    request = turns.asked(run)
    read_and_decide(request, operator)
