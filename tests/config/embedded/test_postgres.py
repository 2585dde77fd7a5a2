"""The embedded PostgreSQL starts after every kind of end, and never at a stranger's cost."""

import os
import pwd
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from config.embedded import folders, postgres, processes
from config.embedded.binaries import postgres_programs
from config.embedded.places import Places, places
from config.errors import GroundError
from tests import ground
from tests.config.embedded.conftest import as_root, installation


@contextmanager
def running(here: Places) -> Iterator[subprocess.Popen[bytes]]:
    server = ground.start(here, "postgres", postgres.prepare(here, say=print), "INT")
    try:
        postgres.wait_until_ready(here, running=lambda: server.poll() is None, say=print)
        yield server
    finally:
        ground.stop([server])


@pytest.fixture(scope="module")
def made() -> Iterator[Places]:
    """An installation whose server was stopped in order, with one row in it."""
    with installation() as here:
        with running(here):
            postgres.make_database(here)
            with psycopg.connect(here.database_url(postgres.OWNER)) as owner:
                owner.execute("CREATE TABLE kept AS SELECT 7 AS number")
        yield here


def number(here: Places) -> object:
    with psycopg.connect(here.database_url(postgres.OWNER)) as owner:
        (found,) = owner.execute("SELECT number FROM kept").fetchone() or (None,)
        return found


def leave_pid_file(here: Places, text: str) -> None:
    path = here.data / "postmaster.pid"
    path.write_text(text)
    path.chmod(0o600)
    if here.account:
        os.chown(path, pwd.getpwnam(here.account).pw_uid, -1)


def test_making_users_and_database_again_changes_nothing(made: Places) -> None:
    with running(made):
        postgres.make_database(made)
        assert number(made) == 7


def test_a_strangers_pid_in_the_pid_file_costs_the_stranger_nothing(made: Places) -> None:
    with subprocess.Popen(["sleep", "60"], user=made.account) as stranger:
        leave_pid_file(made, f"{stranger.pid}\n{made.data}\n{int(time.time())}\n5432\n")
        with running(made):
            assert number(made) == 7
        assert stranger.poll() is None
        stranger.kill()


@pytest.mark.parametrize("text", ["", "12", "rubbish\n\0\n"])
def test_a_half_written_pid_file_is_no_obstacle(made: Places, text: str) -> None:
    leave_pid_file(made, text)
    with running(made):
        assert number(made) == 7


def test_a_killed_server_recovers_what_was_committed(made: Places) -> None:
    with running(made) as server:
        server.kill()
        server.wait()
    with running(made):
        assert number(made) == 7


def test_a_server_that_runs_is_left_alone(made: Places) -> None:
    with running(made) as server:
        with pytest.raises(GroundError, match=f"kill -INT {server.pid}"):
            postgres.prepare(made, say=print, patience=0)
        assert number(made) == 7


def test_a_cluster_that_was_never_finished_is_made_again(here: Places) -> None:
    unfinished = here.data.with_name("postgres.unfinished")
    unfinished.mkdir()
    (unfinished / "PG_VERSION").write_text("18")
    with running(here):
        assert not unfinished.exists()


def test_data_of_another_version_are_not_touched(made: Places) -> None:
    version = made.data / "PG_VERSION"
    version.write_text("17\n")
    with pytest.raises(GroundError, match="was made by PostgreSQL 17"):
        postgres.prepare(made, say=print)
    version.write_text("18\n")


def test_a_server_that_ends_is_a_sentence(made: Places) -> None:
    ended = ground.start(made, "postgres", ["/bin/false"], "INT")
    with pytest.raises(GroundError, match="PostgreSQL did not start"):
        postgres.wait_until_ready(made, running=lambda: ended.poll() is None, say=print)
    ended.wait()


@as_root
def test_only_who_started_it_may_connect(made: Places) -> None:
    with running(made):
        reach = made.sockets.stat().st_mode
        made.sockets.chmod(0o755)
        (made.sockets / ".s.PGSQL.5432").chmod(0o777)
        psql = postgres_programs(made) / "psql"
        asked = [str(psql), made.database_url(postgres.SUPERUSER, "postgres"), "-c", "SELECT 1"]
        for account in ("nobody", "daemon"):
            done = processes.run_as(account, asked)
            assert 'Peer authentication failed for user "postgres"' in done.stderr
        made.sockets.chmod(reach)


def test_it_listens_on_no_port_and_trusts_nobody(made: Places) -> None:
    with running(made), postgres.superuser(made) as connection:
        assert connection.execute("SHOW listen_addresses").fetchone() == ("",)
        rules = "SELECT type, database, user_name, auth_method, options FROM pg_hba_file_rules"
        assert connection.execute(rules).fetchall() == [
            ("local", ["all"], ["all"], "peer", ["map=kedge"]),
            ("local", ["replication"], ["postgres"], "peer", ["map=kedge"]),
        ]
        assert connection.execute("SHOW data_checksums").fetchone() == ("on",)
        assert connection.execute("SHOW fsync").fetchone() == ("on",)


def test_neither_web_nor_worker_is_more_than_a_user(made: Places) -> None:
    with running(made), postgres.superuser(made) as connection:
        found = connection.execute(
            "SELECT rolname FROM pg_roles WHERE rolname LIKE 'kedge%' AND (rolsuper"
            " OR rolcreaterole OR rolcreatedb OR rolbypassrls OR rolreplication)"
        ).fetchall()
        assert found == []


def test_a_long_folder_name_is_no_obstacle() -> None:
    with ground.open_folder() as folder:
        here = places(
            folder / ("a long, odd name " * 6) / "var", chosen=True, account=ground.ACCOUNT
        )
        folders.prepare(here)
        with running(here), postgres.superuser(here) as connection:
            assert connection.execute("SELECT 1").fetchone() == (1,)
        remove(here.sockets, here.control)


def remove(*emptied: Path) -> None:
    for folder in emptied:
        for left in folder.iterdir():
            left.unlink()
        folder.rmdir()
