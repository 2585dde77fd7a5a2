"""Everything of `make up`, in order: servers, tables, people, programs, and back down again."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import IO, NoReturn

from django.conf import settings
from django.core.management import call_command, get_commands
from django.db import connection

from config import instance, programs, readiness, supervision
from config.demo.desk import programs as desk
from config.demo.desk.places import PORTS
from config.embedded import folders, postgres, processes, valkey
from config.errors import GroundError
from config.groundcheck import check_ground
from config.programs import Program
from config.readiness import Say
from config.supervision import Supervisor

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Stopped(BaseException):
    """Somebody asked this process to end; outside Exception, so that nothing swallows it."""


def up(say: Say) -> None:
    """Start everything, stay until asked to end, stop everything. Raises GroundError."""
    lock = instance.take(settings.VAR_DIR, settings.PORT, say=say)
    instance.refuse_taken_port(settings.PORT, "KEDGE_PORT")
    if settings.KEDGE_METRICS.token:
        instance.refuse_taken_port(settings.KEDGE_METRICS.port, "KEDGE_METRICS_PORT")
    if settings.KEDGE_MAIL_SINK:
        instance.refuse_taken_port(settings.KEDGE_SMTP_PORT, "KEDGE_SMTP_PORT")
    folders.prepare(settings.PLACES)
    if settings.DESK is not None:
        for port in range(settings.DESK.port, settings.DESK.port + PORTS):
            instance.refuse_taken_port(port, "KEDGE_DESK_PORT")
    try:
        with _ending_raises():
            _run(say, lock)
    except Stopped:
        say("Everything has stopped; the data stay. `make up` goes on with them")


def _run(say: Say, lock: IO[str]) -> None:
    listed = [*_servers(say), *programs.ours(get_commands())]
    text = supervision.configuration(settings.PLACES, listed, settings.BASE_DIR)
    supervisor = supervision.start(settings.PLACES, text, lock=lock)
    try:
        _start(supervisor, listed, say)
        _stay(supervisor)
    finally:
        _stop(supervisor, listed, say)


def _servers(say: Say) -> list[Program]:
    """The embedded servers that the environment does not replace, the last to stop first."""
    here, found = settings.PLACES, []
    if "DATABASE_URL" in settings.EMBEDDED:
        if here.ground != here.var:
            say(f"{here.account} cannot enter {here.var}; the database lies in {here.ground}")
        found.append(programs.postgres(postgres.prepare(here, say=say), here.account))
    if "REDIS_URL" in settings.EMBEDDED:
        found.append(programs.valkey(valkey.command(here), here.account))
    if settings.DESK is not None:
        found += desk.of(settings.DESK)
    return found


def _start(supervisor: Supervisor, listed: list[Program], say: Say) -> None:
    with _collecting_static_files():
        _start_servers(supervisor, listed, say)
        check_ground()
        say("Bringing the tables up to date")
        call_command("migrate", interactive=False, verbosity=0)
        call_command("roles")
        if settings.KEDGE_DEMO and "seed" in get_commands():
            say("Making the demo: two tenants, their people and their runs")
            call_command("seed")
    connection.close()
    say("Starting the web process, the workers and the sweeper")
    for group in dict.fromkeys(program.group for program in listed if _is_ours(program)):
        supervisor.start_group(group)
    readiness.wait_for_pages(supervisor.running)
    _show_card(say)


def _start_servers(supervisor: Supervisor, listed: list[Program], say: Say) -> None:
    for group in dict.fromkeys(program.group for program in listed if not _is_ours(program)):
        names = [program.name for program in listed if program.group == group]
        say(f"Starting {' and '.join(names)}")
        supervisor.start_group(group)
    if "DATABASE_URL" in settings.EMBEDDED:
        postgres.wait_until_ready(
            settings.PLACES,
            running=lambda: supervisor.state_of("postgres") in {"STARTING", "RUNNING"},
            say=say,
        )
        postgres.make_database(settings.PLACES)
    readiness.wait_for_database(say)
    readiness.wait_for_redis(say)


def _is_ours(program: Program) -> bool:
    return program.group not in {"postgres", "valkey", desk.GROUP}


@contextmanager
def _collecting_static_files() -> Iterator[None]:
    """Collect style sheets and scripts while the servers start; both take about a second."""
    command = [sys.executable, str(settings.BASE_DIR / "manage.py"), "collectstatic", "--noinput"]
    with subprocess.Popen(
        processes.tied([*command, "--verbosity=0"]),
        # Only the web process has names with digests.
        env={**os.environ, "KEDGE_ROLE": "web"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as collecting:
        yield
        said, _ = collecting.communicate()
    if collecting.returncode != 0:
        raise GroundError(f"The static files could not be collected: {said.strip()[-500:]}")


def _show_card(say: Say) -> None:
    if settings.KEDGE_DEMO and "card" in get_commands():
        call_command("card")
    else:
        say(f"Kedge is ready: http://127.0.0.1:{settings.PORT}/ (Ctrl-C stops it)")


def _stay(supervisor: Supervisor) -> NoReturn:
    while supervisor.running():
        time.sleep(0.5)
    raise GroundError("The supervisor was ended, and with it everything. Start again.")


def _stop(supervisor: Supervisor, listed: list[Program], say: Say) -> None:
    """Stop group after group, PostgreSQL last. Asked a second time, kill what is slow."""
    hurry: list[int] = []
    for number in ENDING:
        signal.signal(number, lambda got, _: hurry.append(got))
    say("Stopping: runs halt at their next boundary (Ctrl-C again kills them, which is safe too)")
    for group in reversed(dict.fromkeys(program.group for program in listed)):
        supervisor.stop_group(group)
        told = time.monotonic()
        while names := supervisor.busy(group):
            if hurry and group == "kedge":
                supervisor.kill_group(group)
            if time.monotonic() - told > readiness.TELL_EVERY_SECONDS:
                told = time.monotonic()
                say(f"Still stopping: {', '.join(names)}")
            time.sleep(0.1)
    supervisor.end()


@contextmanager
def _ending_raises() -> Iterator[None]:
    def stop(_number: int, _frame: FrameType | None) -> NoReturn:
        raise Stopped

    before = {number: signal.signal(number, stop) for number in ENDING}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
