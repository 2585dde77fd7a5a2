"""The servers of one chaos run: a PostgreSQL, a Valkey and a mail sink of its own, each stoppable."""

import os
import secrets
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

import psycopg
import redis
from psycopg import sql

from config.embedded import folders, postgres, processes, valkey
from config.embedded.places import Places, places
from tests.ground import ACCOUNT, open_folder, wait_for
from tests.ports import free_port

ROOT = Path(__file__).resolve().parents[2]
DATABASE = "kedge"
READY_SECONDS = 60
STOP_SECONDS = 60
SMART, FAST, IMMEDIATE = signal.SIGTERM, signal.SIGINT, signal.SIGQUIT


@dataclass(frozen=True)
class Here(Places):
    """Places whose PostgreSQL listens on a port of its own, on TCP and on its socket alike."""

    port: int

    def database_url(self, user: str, name: str = DATABASE) -> str:
        return f"postgresql://{user}@/{name}?host={quote(str(self.sockets))}&port={self.port}"


@dataclass
class Server:
    """One server in the foreground: started and stopped as often as a fault likes."""

    name: str
    command: list[str]
    port: int
    log: Path
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ)
    process: subprocess.Popen[bytes] | None = None

    def begin(self) -> None:
        """Start it; returns without waiting until it answers."""
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                self.command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd="/",
                env=dict(self.environment),
                start_new_session=True,
            )

    def send(self, number: int) -> None:
        """Signal the server itself; its children are its own business."""
        assert self.process is not None
        self.process.send_signal(number)

    def stop(self, number: int = signal.SIGINT) -> None:
        """End it by this signal and wait for it."""
        if self.process is not None:
            self.process.send_signal(number)
            self.process.wait(timeout=STOP_SECONDS)

    @property
    def runs(self) -> bool:
        return self.process is not None and self.process.poll() is None


@dataclass
class Postgres(Server):
    """PostgreSQL 18 with fsync on, over TCP at 127.0.0.1:`port` and over its socket for us."""

    here: Here = field(kw_only=True)
    password: str = field(kw_only=True)

    def prepare(self) -> None:
        """Clear what a server that was killed has left, so that it may begin."""
        # It leaves lock files; `prepare` knows which may be believed.
        postgres.prepare(self.here, say=lambda _: None)
        for name in (f".s.PGSQL.{self.port}", f".s.PGSQL.{self.port}.lock"):
            (self.here.sockets / name).unlink(missing_ok=True)

    def start(self) -> None:
        """Start it and wait until it answers; crash recovery included."""
        self.prepare()
        self.begin()
        postgres.wait_until_ready(self.here, running=lambda: self.runs, say=lambda _: None)

    def answers(self) -> bool:
        """Whether it takes a connection now."""
        try:
            self.connect().close()
        except psycopg.OperationalError:
            return False
        return True

    def connect(self) -> psycopg.Connection:
        """A connection of the superuser, over the socket: no proxy and no fault stands between."""
        return psycopg.connect(
            self.here.database_url(postgres.SUPERUSER, DATABASE), autocommit=True
        )

    def url(self, role: str = postgres.SUPERUSER, *, at: str = "") -> str:
        """The address for a database user; `at` ("host:port") leads through a proxy instead."""
        place = at or f"127.0.0.1:{self.port}"
        return f"postgresql://{role}:{self.password}@{place}/{DATABASE}"


@dataclass
class Valkey(Server):
    """A Valkey that keeps nothing."""

    def start(self) -> None:
        """Start it and wait until it answers."""
        self.begin()
        wait_for(self.answers, "Valkey answers", seconds=READY_SECONDS)

    def answers(self) -> bool:
        """Whether it answers now."""
        try:
            with self.connect() as connection:
                return bool(connection.ping())
        except redis.RedisError:
            return False

    def connect(self) -> redis.Redis:
        """A connection to database 0."""
        return redis.Redis.from_url(self.url(), socket_timeout=5)

    def url(self, *, at: str = "") -> str:
        """Its address; `at` ("host:port") leads through a proxy instead."""
        return f"redis://{at or f'127.0.0.1:{self.port}'}/0"


@dataclass(frozen=True)
class Servers:
    """All three, running."""

    postgres: Postgres
    valkey: Valkey
    mail: Server
    maildir: Path
    folder: Path


@contextmanager
def opened() -> Iterator[Servers]:
    """Make and start the servers below a folder of their own; everything is gone afterwards."""
    with open_folder() as folder:
        here = Here(**vars(places(folder, chosen=True, account=ACCOUNT)), port=free_port())
        folders.prepare(here)
        maildir = folder / "mail"
        found = Servers(_postgres(here), _valkey(here), _mail(here, maildir), maildir, folder)
        try:
            found.postgres.start()
            _let_in(found.postgres)
            found.valkey.start()
            yield found
        finally:
            for server in (found.mail, found.valkey, found.postgres):
                if server.runs:
                    server.send(signal.SIGCONT)
                    server.stop(IMMEDIATE if server is found.postgres else signal.SIGKILL)


def _postgres(here: Here) -> Postgres:
    command = postgres.prepare(here, say=lambda _: None)
    access = here.ground / "access" / "chaos_hba.conf"
    us = "local all all peer map=kedge\n"
    access.write_text(us + "host all all 0.0.0.0/0 scram-sha-256\n")
    access.chmod(0o644)
    own = {"hba_file": access, "listen_addresses": "127.0.0.1", "port": here.port}
    settings = {**own, "max_connections": 200}
    # Of two values for one setting the later one counts.
    words = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
    tied = processes.tied([*command, *words], signal="INT", account=here.account)
    log = here.logs / "postgres.log"
    password = secrets.token_hex(12)
    return Postgres("postgres", tied, here.port, log, here=here, password=password)


def _let_in(server: Postgres) -> None:
    postgres.make_database(server.here)
    with server.connect() as connection:
        for role in (postgres.SUPERUSER, postgres.OWNER, postgres.WEB, postgres.WORKER):
            words = sql.SQL("ALTER ROLE {} PASSWORD {}")
            connection.execute(words.format(sql.Identifier(role), sql.Literal(server.password)))


def _valkey(here: Places) -> Valkey:
    port = free_port()
    command = processes.tied(valkey.command(here, port=port), account=here.account)
    return Valkey("valkey", command, port, here.logs / "valkey.log")


def _mail(here: Places, maildir: Path) -> Server:
    port = free_port()
    command = [sys.executable, str(ROOT / "manage.py"), "mailsink"]
    command += ["--port", str(port), "--folder", str(maildir)]
    return Server("mailsink", processes.tied(command), port, here.logs / "mailsink.log")
