"""`manage.py up` as a person meets it: one command starts all, Ctrl-C stops all, nothing is lost."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest
from django.conf import settings

from config.embedded import processes
from config.embedded.places import Places, places
from tests import ground
from tests.ports import free_port

MINE = re.compile(r"KEDGE_|DATABASE_URL|REDIS_URL|DJANGO_SETTINGS_MODULE")


@contextmanager
def up(var: Path, port: int, **env: str) -> Iterator[subprocess.Popen[str]]:
    """The command, started; killed at the end if it still runs."""
    ours = {name: value for name, value in os.environ.items() if not MINE.match(name)}
    with (
        (var.parent / "said").open("w") as out,
        subprocess.Popen(
            [sys.executable, "manage.py", "up"],
            cwd=ground.ROOT,
            env={**ours, "KEDGE_VAR": str(var), "KEDGE_PORT": str(port), **env},
            stdout=out,
            stderr=out,
            text=True,
        ) as command,
    ):
        try:
            yield command
        finally:
            command.kill()


def wait_until_ready(port: int, var: Path, command: subprocess.Popen[str]) -> None:
    ground.wait_for(
        lambda: asked(port).get("status") == "ready" or command.poll() is not None,
        "the pages are ready",
        seconds=120,
    )
    wait_until_said(var, "Kedge is ready")


def wait_until_said(var: Path, words: str) -> None:
    try:
        ground.wait_for(lambda: words in said(var), words)
    except AssertionError as error:
        raise AssertionError(f"{error}; it said:\n{said(var)}") from error


def asked(port: int) -> dict[str, str]:
    with suppress(OSError), closing(HTTPConnection("127.0.0.1", port, timeout=5)) as connection:
        connection.request("GET", "/readyz")
        return dict(json.loads(connection.getresponse().read()))
    return {}


def said(var: Path) -> str:
    return (var.parent / "said").read_text()


def stopped(command: subprocess.Popen[str], by: signal.Signals) -> int:
    command.send_signal(by)
    return command.wait(timeout=100)


def of(var: Path) -> dict[int, str]:
    """Every process that belongs to this folder, by what its command line or environment says."""
    found = {}
    for entry in Path("/proc").iterdir():
        with suppress(OSError):
            if entry.name.isdigit() and f"KEDGE_VAR={var}".encode() in (
                entry / "environ"
            ).read_bytes().split(b"\0"):
                found[int(entry.name)] = processes.name_of(int(entry.name))
    servers = processes.working_in(var / "postgres")
    return found | {pid: processes.name_of(pid) for pid in servers}


def workers(var: Path) -> list[int]:
    """The numbers of all worker processes that were ever started, oldest first."""
    log = (var / "log" / "supervisor.log").read_text()
    return [int(pid) for pid in re.findall(r"spawned: 'worker-\d' with pid (\d+)", log)]


def users_at_work(here: Places) -> set[str]:
    with psycopg.connect(here.database_url("postgres", "postgres")) as server:
        rows = server.execute(
            "SELECT DISTINCT usename FROM pg_stat_activity WHERE datname = 'kedge'"
        )
        return {str(row[0]) for row in rows.fetchall()}


def test_all_of_it_starts_heals_stops_and_goes_on() -> None:
    with ground.open_folder() as folder:
        var, port = folder / "var", free_port()
        with up(var, port) as command:
            wait_until_ready(port, var, command)
            here = places(var, chosen=True, account=ground.ACCOUNT)
            ground.wait_for(
                lambda: {"kedge_web", "kedge_worker"} <= users_at_work(here), "both users connect"
            )
            with psycopg.connect(here.database_url("kedge_owner")) as owner:
                owner.execute("INSERT INTO tenants_tenant (slug, name) VALUES ('kept', 'Kept')")
            os.kill(workers(var)[0], signal.SIGKILL)
            ground.wait_for(lambda: len(workers(var)) == 3, "the killed worker is replaced")
            assert stopped(command, signal.SIGINT) == 0
            assert of(var) == {}
            assert last_stopped(var) == "postgres"
        with up(var, port) as command:
            wait_until_ready(port, var, command)
            with psycopg.connect(here.database_url("kedge_owner")) as owner:
                found = owner.execute("SELECT name FROM tenants_tenant").fetchall()
            assert found == [("Kept",)]
            supervisor = next(pid for pid, name in of(var).items() if "supervisord" in name)
            os.kill(supervisor, signal.SIGKILL)
            assert command.wait(timeout=60) == 1
            assert "kedge: The supervisor was ended" in said(var)
            ground.wait_for(lambda: of(var) == {}, "nothing is left", seconds=60)


def last_stopped(var: Path) -> str:
    log = (var / "log" / "supervisor.log").read_text()
    return str(re.findall(r"stopped: (\S+)", log)[-1])


@pytest.mark.django_db
def test_servers_that_the_environment_names_are_used_and_none_is_started() -> None:
    name = f"kedge_up{os.environ.get('KEDGE_TEST_SUFFIX', '')}"
    parameters = settings.DATABASES["default"]
    given = urlsplit(os.environ["DATABASE_URL"])
    with (
        psycopg.connect(given._replace(path="/postgres").geturl(), autocommit=True) as admin,
        ground.open_folder() as folder,
    ):
        admin.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)".encode())
        admin.execute(f"CREATE DATABASE {name}".encode())
        var, port = folder / "var", free_port()
        named = {
            "DATABASE_URL": given._replace(path=f"/{name}").geturl(),
            "REDIS_URL": os.environ["REDIS_URL"],
        }
        with up(var, port, **named) as command:
            wait_until_ready(port, var, command)
            assert not {"postgres", "access"} & {path.name for path in var.iterdir()}
            assert f"uses the owner's database user '{parameters['USER']}'" in said(var)
            # One that cannot drain: asked a second time, `up` does not wait for it. Before a worker
            # has its handler, the signal would end it, stopped or not.
            log = var / "log" / "worker-0.log"
            ground.wait_for(lambda: "Listening" in log.read_text(), "the worker listens")
            os.kill(workers(var)[0], signal.SIGSTOP)
            command.send_signal(signal.SIGTERM)
            wait_until_said(var, "Still stopping: worker-")
            assert stopped(command, signal.SIGINT) == 0
        assert of(var) == {}
        admin.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())
