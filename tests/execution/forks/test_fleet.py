"""A fleet change of a real repository, over and forked from each of its checkpoints: one push, one mail."""

from pathlib import Path
from uuid import UUID

import pytest
from django.utils import timezone

from agents.mailsink import mails
from approvals import decisions
from approvals.decisions import Given
from approvals.models import ApprovalRequest
from checkpoints import reading, runs
from checkpoints.asked import Request
from checkpoints.models import Run
from config.demo import campaigns, people
from execution.forks import making
from tenants.actors import BY_COMMAND, Actor, Proof
from tenants.models import User
from tests.agents.git_fixtures import git
from tests.config.demo.conftest import demo, dying_mail_server, small_remotes
from tests.config.demo.turns import commits, turn
from tests.execution.runs import full
from tests.opening import open_all
from tests.people import ada, dee, make_tenant

__all__ = ["demo", "dying_mail_server", "small_remotes"]
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("dying_mail_server")]


def finish(run: Run) -> Run:
    """Take turns and say yes until the run is over."""
    for _ in range(20):
        if full(run).finished_at is not None:
            return full(run)
        for asked in ApprovalRequest.objects.filter(run=run, state="open"):
            say_yes(asked, dee(run.tenant))
        turn()
    raise AssertionError(full(run).sentence)


def say_yes(asked: ApprovalRequest, user: User) -> None:
    """A yes of somebody who opened all of it and proved that it is them."""
    open_all(asked.pk, user)
    actor = Actor.person(user, Proof(BY_COMMAND, timezone.now()))
    decisions.decide(asked.pk, Given("approve", "right", asked.action_hash), actor=actor, user=user)


def test_forked_from_each_checkpoint_the_world_is_as_one_run_left_it(small_remotes: Path) -> None:
    tenant = make_tenant(people.HARBOUR)
    starter, _ = Actor.person(ada(tenant)), dee(tenant)
    planned = next(
        run
        for _, run in campaigns.planned(campaigns.CAMPAIGNS[0])
        if run.input["repository"] == "rq"
    )
    given = {**planned.input, "maintainer": "maintainer@example.org"}  # whose mail is taken
    request = Request("fleet_change", planned.business_key, given, channel="test")
    source = finish(runs.start(tenant, request, actor=starter)[0])
    assert source.status == "succeeded", source.sentence
    remote = small_remotes / people.HARBOUR / "rq.git"
    sent, log = mails(small_remotes.parent / "mail"), git(str(remote), "log", "--format=%H", "main")
    assert (commits(remote, planned.business_key), len(sent)) == (1, 1)
    questions = ApprovalRequest.objects.count()
    for seq in range(source.head + 1):
        wanted = making.Wanted(seq, "once more", UUID(int=seq + 1))
        run = finish(making.fork(source, wanted, actor=starter)[0])
        assert (seq, run.status, run.sentence) == (seq, "succeeded", "Done.")
        assert reading.verify_run(run) == []
    assert git(str(remote), "log", "--format=%H", "main") == log
    assert mails(small_remotes.parent / "mail") == sent
    assert ApprovalRequest.objects.count() == questions
