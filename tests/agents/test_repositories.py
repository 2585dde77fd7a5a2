"""The demo repositories: real code, the same bits every time, and never half of one."""

import os
import signal
import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path

import pytest
from pytest_django import Settings

from agents import fleet, gitobjects, repositories
from agents.errors import SeedingFailed
from agents.remotes import BRANCH, remote_url
from tests.agents.git_fixtures import git

NAMES = [repository.name for repository in fleet.FLEET]


def head(tenant: str, name: str) -> str | None:
    return gitobjects.head(remote_url(tenant, name), BRANCH)


def test_twelve_repositories_are_made_with_a_history(remotes: Path) -> None:
    assert len(NAMES) == len(set(NAMES)) == 12
    for repository in fleet.FLEET:
        remote = remote_url("acme", repository.name)
        commits = int(git(remote, "rev-list", "--count", BRANCH))
        python = gitobjects.files(remote, str(head("acme", repository.name)), ".py")
        assert commits >= 5
        assert 20 <= len(python) <= 400
        assert git(remote, "fsck", "--strict", "--no-dangling") == ""


def test_one_history_is_long_enough_for_a_long_report(remotes: Path) -> None:
    assert int(git(remote_url("acme", "django-gis"), "rev-list", "--count", BRANCH)) > 100


def test_histories_are_real_code_added_step_by_step(remotes: Path) -> None:
    remote = remote_url("acme", "rq")
    source = next(file for file in distribution("rq").files or [] if file.name == "job.py")
    found = {file.path: file.blob for file in gitobjects.files(remote, str(head("acme", "rq")), "")}
    assert gitobjects.blob(remote, found["rq/job.py"]) == source.read_binary()
    assert "LICENSE" in found
    assert len(set(git(remote, "log", "--format=%ae", BRANCH).split())) == 4


def test_the_same_content_makes_the_same_commits(
    remotes: Path, tmp_path: Path, settings: Settings
) -> None:
    before = {name: head("acme", name) for name in NAMES}
    settings.KEDGE_REMOTES = str(tmp_path)
    assert repositories.prepare("globex") == NAMES
    assert {name: head("globex", name) for name in NAMES} == before


def test_what_was_pushed_since_is_not_touched(own_remotes: Path) -> None:
    remote = remote_url("acme", "rq")
    git(remote, "update-ref", BRANCH, f"{BRANCH}~1")
    moved = head("acme", "rq")
    reported: list[tuple[str, int, int]] = []
    assert repositories.prepare("acme", lambda *step: reported.append(step)) == []
    assert head("acme", "rq") == moved
    assert reported == [(name, number, 12) for number, name in enumerate(NAMES, start=1)]


KILLED = """
import django, os, signal, sys
from django.conf import settings
settings.configure(KEDGE_REMOTES=sys.argv[1])
from agents import repositories
def die(step):
    if step.number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return whole(step)
whole, repositories._commit = repositories._commit, die
repositories.prepare("acme")
"""


def test_a_killed_maker_leaves_no_half_repository(tmp_path: Path, settings: Settings) -> None:
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path)], check=False, env=os.environ
    )
    assert done.returncode == -signal.SIGKILL
    assert list((tmp_path / "acme").glob("*.git")) == []
    settings.KEDGE_REMOTES = str(tmp_path)
    assert repositories.prepare("acme") == NAMES


def test_a_remote_takes_branch_and_action_ref_as_one(own_remotes: Path, tmp_path: Path) -> None:
    remote = remote_url("acme", "rq")
    old, new = f"{BRANCH}~1", "refs/kedge/actions/some-id"
    answer = git(
        remote, "push", "--atomic", "--porcelain", "--force", remote_url("acme", "rq"),
        f"{old}:{BRANCH}", f"{old}:{new}",
    )  # fmt: skip
    assert "[new reference]" in answer
    assert gitobjects.head(remote, new) == head("acme", "rq")


def test_a_package_that_is_missing_is_named(tmp_path: Path, settings: Settings) -> None:
    missing = fleet.Repository("x", "no-such-distribution", "x", 5, "a@b.example", {})
    with pytest.raises(SeedingFailed, match="no-such-distribution"):
        repositories.steps(missing)
