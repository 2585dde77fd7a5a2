"""How the embedded PostgreSQL is made once and run: in the foreground, over a socket, peer only."""

import os
import pwd
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import psycopg
from psycopg import sql

from config.embedded import processes
from config.embedded.binaries import postgres_programs
from config.embedded.folders import enterable, private
from config.embedded.places import BOOKKEEPER, SOCKET_PORT, Places
from config.errors import GroundError

MAJOR = "18"
SUPERUSER = "postgres"
OWNER, WEB, WORKER = "kedge_owner", "kedge_web", "kedge_worker"
# Higher than any pid Linux hands out, so PostgreSQL takes the file for what it is: left behind.
NOBODYS_PID = 2**31 - 1
TELL_EVERY_SECONDS = 5
STOPPING_SECONDS = 10


def prepare(
    places: Places, *, say: Callable[[str], None], patience: float = STOPPING_SECONDS
) -> list[str]:
    """Make the cluster if there is none and clear what a killed one left; returns its command line.

    A server that still stops is waited for, `patience` seconds. Raises GroundError with the next step: still running, wrong version, not readable, no space.
    """
    programs = postgres_programs(places)
    if not (places.data / "PG_VERSION").exists():
        say("Making the database cluster (once)")
        _initialise(places, programs)
    _refuse_other_version(places.data)
    still = _still_working(places.data, say, patience)
    if still:
        raise GroundError(
            f"PostgreSQL already works in {places.data} (process {still[0]}:"
            f" {processes.name_of(still[0])}). If another `make up` runs, use that one or stop it"
            f" first; if none does, end it with `kill -INT {still[0]}` and start again."
        )
    _clear_what_was_left(places)
    return _command(places, programs, _access_files(places))


def wait_until_ready(
    places: Places, *, running: Callable[[], bool], say: Callable[[str], None]
) -> None:
    """Return when the server answers. A long crash recovery is waited for as long as it `running`s.

    Raises GroundError as soon as it no longer runs.
    """
    told = time.monotonic()
    while True:
        try:
            superuser(places).close()
        except psycopg.OperationalError as error:
            if not running():
                raise GroundError(
                    f"PostgreSQL did not start; the last lines of {places.logs}/postgres.log say why."
                ) from error
            if time.monotonic() - told > TELL_EVERY_SECONDS:
                told = time.monotonic()
                say(f"PostgreSQL is not ready yet ({str(error).splitlines()[-1].strip()})")
            time.sleep(0.05)
        else:
            return


def make_database(places: Places, name: str = "kedge") -> None:
    """Make the three database users and the database, where missing."""
    with superuser(places) as connection:
        for role in (OWNER, WEB, WORKER):
            if not connection.execute(
                "SELECT 1 FROM pg_roles WHERE rolname = %s", [role]
            ).fetchone():
                connection.execute(sql.SQL("CREATE ROLE {} LOGIN").format(sql.Identifier(role)))
        if not connection.execute(
            "SELECT 1 FROM pg_database WHERE datname = %s", [name]
        ).fetchone():
            connection.execute(
                sql.SQL("CREATE DATABASE {} OWNER {}").format(
                    sql.Identifier(name), sql.Identifier(OWNER)
                )
            )


def superuser(places: Places, database: str = "postgres") -> psycopg.Connection:
    """A connection as the cluster's superuser; only the system user who started it may."""
    return psycopg.connect(places.database_url(SUPERUSER, database), autocommit=True)


def _still_working(data: Path, say: Callable[[str], None], patience: float) -> list[int]:
    """Who works in the data folder, after waiting for a server that was told to stop."""
    end, told = time.monotonic() + patience, False
    while (still := processes.working_in(data)) and time.monotonic() < end:
        if not told:
            say("An earlier PostgreSQL still works in this folder; waiting for it to stop")
        told = True
        time.sleep(0.1)
    return still


def _initialise(places: Places, programs: Path) -> None:
    # In a folder of another name until it is whole: a killed initdb leaves nothing that looks done.
    unfinished = places.data.with_name("postgres.unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    private(unfinished, places.account)
    words = [
        f"--pgdata={unfinished}",
        f"--username={SUPERUSER}",
        "--auth-local=peer",
        "--auth-host=reject",
        "--encoding=UTF8",
        "--locale=C",
        "--locale-provider=builtin",
        "--builtin-locale=C.UTF-8",
    ]
    done = processes.run_as(places.account, [str(programs / "initdb"), *words])
    if done.returncode != 0:
        shutil.rmtree(unfinished, ignore_errors=True)
        why = " ".join((done.stderr or done.stdout).split())[-300:]
        raise GroundError(
            f"PostgreSQL could not make its cluster in {places.data}: {why}. If it is permissions or"
            " space, set KEDGE_VAR to another folder; or set DATABASE_URL to a server of your own."
        )
    unfinished.rename(places.data)


def _refuse_other_version(data: Path) -> None:
    try:
        found = (data / "PG_VERSION").read_text().strip()
    except OSError as error:
        raise GroundError(
            f"{data} belongs to {_owner(data)} and cannot be read. Start Kedge as the user who"
            " started it first, or set KEDGE_VAR to another folder."
        ) from error
    if found != MAJOR:
        raise GroundError(
            f"{data} was made by PostgreSQL {found}, and this Kedge brings {MAJOR}. Move the data"
            " with pg_dump and psql, or set KEDGE_VAR to another folder."
        )


def _clear_what_was_left(places: Places) -> None:
    """Forget the lock files of a killed server. Nothing works in the data folder: asked before.

    PostgreSQL believes the number in its pid file, which may by now be anybody's. The rest of the
    file stays: by it the server finds shared memory that a lost child may still hold.
    """
    pid_file = places.data / "postmaster.pid"
    if pid_file.exists():
        rest = pid_file.read_text(errors="replace").splitlines()[1:]
        pid_file.unlink()
        if rest:
            _write_new(pid_file, "\n".join([str(NOBODYS_PID), *rest]) + "\n", places.account)
    for name in (f".s.PGSQL.{SOCKET_PORT}", f".s.PGSQL.{SOCKET_PORT}.lock"):
        (places.sockets / name).unlink(missing_ok=True)


def _write_new(path: Path, text: str, account: str | None) -> None:
    # O_EXCL: never through a link somebody put there.
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w") as file:
        if account:
            entry = pwd.getpwnam(account)
            os.fchown(handle, entry.pw_uid, entry.pw_gid)
        file.write(text)


def _access_files(places: Places) -> dict[str, Path]:
    """Who may connect: the system user who starts Kedge, as any of our database users.

    Outside the data folder and owned by us, so that the servers' account cannot change them.
    """
    folder = places.ground / "access"
    enterable(folder)
    us = _our_name()
    users = (SUPERUSER, OWNER, WEB, WORKER, BOOKKEEPER)
    files = {
        # "all" does not mean replication, by which a backup is taken.
        "hba_file": f"local all all peer map=kedge\nlocal replication {SUPERUSER} peer map=kedge\n",
        "ident_file": "".join(f'kedge "{us}" {user}\n' for user in users),
    }
    paths = {setting: folder / f"{setting}.conf" for setting in files}
    for setting, text in files.items():
        paths[setting].write_text(text)
        paths[setting].chmod(0o644)
    return paths


def _command(places: Places, programs: Path, access: dict[str, Path]) -> list[str]:
    settings = {
        **{setting: str(path) for setting, path in access.items()},
        "listen_addresses": "",
        "port": str(SOCKET_PORT),
        "unix_socket_directories": _quoted(places.sockets),
        "unix_socket_permissions": "0700",
        "max_connections": "100",
        "log_line_prefix": "%m [%p] %u@%d ",
    }
    words = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
    return [str(programs / "postgres"), "-D", str(places.data), *words]


def _quoted(folder: Path) -> str:
    """A list of one folder: quoted, because a comma would make it two."""
    return f'"{folder}"'


def _our_name() -> str:
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        raise GroundError(
            f"Your user id {os.geteuid()} has no name on this machine, and PostgreSQL asks for one."
            " Start as a user with an account, or set DATABASE_URL to a server of your own."
        ) from None


def _owner(path: Path) -> str:
    return path.owner() if path.exists() else "nobody we know"
