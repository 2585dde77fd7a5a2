"""A demo of its own for each test: folders, remotes, a doorbell, and the real agents."""

import os
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from pytest_django import Settings
from redis import Redis

from agents.tools.mail.sending import MailServer
from agents.tools.mail.tool import SendMail
from checkpoints import registry
from config.demo import people, world
from config.demo.twin.remotes import twin_of
from tenants.models import User
from tests.agents import git_fixtures
from tests.contract.daemons import mail_sink
from tests.doorbell import doorbell

__all__ = ["demo", "doorbell", "dying_mail_server", "operator", "own_redis", "small_remotes"]

# Something for the rules UP and PIE to change.
OLD = 'class A(object):\n    """Old."""\n    pass\n'


@pytest.fixture
def demo(settings: Settings, tmp_path: Path) -> Iterator[Path]:
    """A demo installation in a temporary folder, which is returned."""
    settings.KEDGE_DEMO = True
    settings.VAR_DIR = tmp_path
    settings.KEDGE_REMOTES = str(tmp_path / "remotes")
    settings.KEDGE_JOURNAL_DIR = tmp_path / "journal"
    settings.KEDGE_AGENTS = "agents.registry"
    registry.agents.cache_clear()
    world._kept.clear()
    yield tmp_path
    registry.agents.cache_clear()


@pytest.fixture
def small_remotes(demo: Path) -> Path:
    """Remotes of the first tenant and its twin with three small files, in place of real code."""
    for slug in (people.HARBOUR, twin_of(people.HARBOUR)):
        for name in ("rq", "aiosmtpd", "gunicorn"):
            remote = git_fixtures.init(demo / "remotes" / slug / f"{name}.git")
            files = {f"{name}/{part}.py": OLD for part in ("a", "b", "c")}
            git_fixtures.commit(remote, files, message="Begin")
    return demo / "remotes"


@pytest.fixture
def dying_mail_server(demo: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A mail server of this test's own; it dies for those whose address asks for it."""
    with mail_sink(demo / "mail") as port:
        mail = SendMail(MailServer("127.0.0.1", port))
        monkeypatch.setitem(registry.agents().TOOLS.by_name, mail.name, mail)
        yield


@pytest.fixture
def own_redis(settings: Settings) -> Iterator[Redis]:
    """A database that no other test flushes: the doorbell's is everybody's."""
    number = 10 + int(os.environ.get("PYTEST_XDIST_WORKER", "gw0")[2:]) % 6
    settings.REDIS_URL = urlsplit(settings.REDIS_URL)._replace(path=f"/{number}").geturl()
    with Redis.from_url(settings.REDIS_URL) as connection:
        connection.flushdb()
        yield connection


@pytest.fixture
def operator(demo: Path, db: None) -> User:
    """The demo's operator; everybody else is made with her."""
    people.make()
    user = people.user_of(people.OPERATOR)
    assert user is not None
    return user
