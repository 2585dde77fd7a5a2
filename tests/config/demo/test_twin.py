"""The twin really does it again: RQ's own worker, real remotes, a real mailbox."""

from collections.abc import Callable
from pathlib import Path

import pytest
from redis import Redis
from rq import Queue, Retry
from rq.serializers import JSONSerializer

from agents.mailsink import mails
from checkpoints import runs
from checkpoints.models import Run
from config.demo import people, unknown
from config.demo.twin import asked, asking, jobs
from reconciliation.models import Attempt
from tenants.models import User
from tests.config.demo import turns
from tests.contract.daemons import mail_sink
from tests.opening import read_and_decide

KEY = "modern-python/aiosmtpd"


def work_off(redis: Redis, job: Callable[..., None], *given: object) -> None:
    """Enqueue a job as the twin's are, and let RQ's own command work until nothing is left."""
    queue = Queue(asking.QUEUE, connection=redis, serializer=JSONSerializer)
    queue.enqueue(job, *given, retry=Retry(max=2))
    turns.twin_works()


@pytest.fixture
def remote(small_remotes: Path) -> Path:
    return small_remotes / "harbour-twin" / "aiosmtpd.git"


def test_a_job_that_is_left_alone_pushes_once(
    own_redis: Redis, remote: Path, tmp_path: Path
) -> None:
    work_off(own_redis, jobs.push, str(remote), KEY, str(tmp_path / "no plug"))
    assert turns.commits(remote, KEY) == 1


def test_a_job_that_dies_after_its_push_pushes_again(
    own_redis: Redis, remote: Path, tmp_path: Path
) -> None:
    plug = tmp_path / "plug"
    plug.touch()
    work_off(own_redis, jobs.push, str(remote), KEY, str(plug))
    assert turns.commits(remote, KEY) == 2
    assert not plug.exists()


def test_a_mail_server_that_dies_gets_the_mail_with_every_try(
    own_redis: Redis, tmp_path: Path
) -> None:
    letter = {"to": "noor+dies@kedge.example", "subject": "rq: done", "body": "Campaign: x\n"}
    with mail_sink(tmp_path / "mail") as port:
        work_off(own_redis, jobs.mail, f"127.0.0.1:{port}", letter, str(tmp_path / "no plug"))
    assert [mail.to for mail in mails(tmp_path / "mail")] == [letter["to"]] * 3


@pytest.mark.django_db(transaction=True)
def test_the_twin_is_asked_once_for_what_kedge_has_sent(
    own_redis: Redis, operator: User, small_remotes: Path
) -> None:
    run = turns.start("aiosmtpd")
    turns.work()
    assert asking.ask_for_new(own_redis, None) is None
    approve(run, operator)
    turns.work()
    queue = Queue(asking.QUEUE, connection=own_redis, serializer=JSONSerializer)
    since = asking.ask_for_new(own_redis, None)
    assert asking.ask_for_new(own_redis, since) == since
    assert [job.func_name for job in queue.jobs] == ["config.demo.twin.jobs.push"]
    (noted,) = asked.noted()
    assert (noted.tenant, noted.business_key, noted.kind, noted.what) == (
        "harbour", run.business_key, "push", "aiosmtpd"
    )  # fmt: skip
    assert noted.action == str(Attempt.objects.get().action_id)


@pytest.mark.django_db(transaction=True)
def test_one_mail_is_brought_into_doubt_by_a_demo_person_and_no_further(
    demo: Path, operator: User, small_remotes: Path
) -> None:
    assert not unknown.drive()
    run = turns.start("rq")
    assert "modern-python/rq" in unknown.still_to_come()
    turns.work()
    assert unknown.drive()
    answer = turns.answered(run)
    assert (answer.user.email, answer.reason) == ("approver@demo.kedge.example", unknown.REASON)
    assert answer.unopened > 0  # nobody read it, and the record says so
    runs.request_cancel(run.id, why="enough", actor=people.SEED)
    turns.work()
    assert not unknown.drive()


def approve(run: Run, operator: User) -> None:
    request = turns.asked(run)
    read_and_decide(request, operator)
