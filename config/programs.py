"""What `up` keeps running: the one list of programs, in the order they start."""

import os
import sys
from collections.abc import Container
from dataclasses import dataclass, field

from django.conf import settings

from config.embedded import processes

# A killed supervisor, a full disk that was cleared: whatever ends a program, it is started again.
UNLIMITED = 1_000_000


@dataclass(frozen=True)
class Program:
    """One program under the supervisor. Groups stop one after another, the first group last.

    `needs` names the management command without which the program is left out. `stop_seconds` is
    how long it may take to end by `stop_signal` before it is killed.
    """

    name: str
    group: str
    command: list[str]
    copies: int = 1
    role: str = ""
    needs: str = ""
    account: str | None = None
    stop_signal: str = "TERM"
    stop_seconds: int = 20
    environment: dict[str, str] = field(default_factory=dict)


def postgres(command: list[str], account: str | None) -> Program:
    """The embedded PostgreSQL. SIGINT ends sessions and shuts down; it may flush for long."""
    return Program(
        "postgres", "postgres", command, account=account, stop_signal="INT", stop_seconds=300
    )


def valkey(command: list[str], account: str | None) -> Program:
    """The embedded Valkey."""
    return Program("valkey", "valkey", command, account=account)


def ours(commands: Container[str]) -> list[Program]:
    """Kedge's own programs, of those whose management command is among `commands`.

    The mail sink starts first and stops last of them: a worker that ends may still hand in a mail.
    """
    # A worker that is told to stop ends the call in flight first; a node may take its deadline.
    node_deadline: int = settings.PRACTICE["timeout_seconds"]
    demo = {
        # The demo can end the worker of one run at one boundary, to show what happens then.
        "KEDGE_PLUGS": str(settings.VAR_DIR / "plugs"),
        # One run after the other rather than all at once: the first question comes sooner.
        "KEDGE_TURN_SECONDS": os.environ.get("KEDGE_TURN_SECONDS") or "60",
    }
    sink = Program("mailsink", "mail", _manage("mailsink"), needs="mailsink")
    # Plain retries, beside it and to compare. It also answers as a person of the demo, which no
    # worker's database user can, and for all tenants, which no web process' can.
    twin = Program("twin", "kedge", _manage("twin"), role="owner", needs="twin")
    found = [
        *([sink] if settings.KEDGE_MAIL_SINK else []),
        Program("web", "kedge", _gunicorn("config.gunicorn", settings.PORT), role="web"),
        Program(
            "worker",
            "kedge",
            _manage("work"),
            copies=2,
            role="worker",
            needs="work",
            stop_seconds=node_deadline + 15,
            environment=demo if settings.KEDGE_DEMO else {},
        ),
        Program("sweeper", "kedge", _manage("sweep"), role="worker", needs="sweep"),
        *([_metrics()] if settings.KEDGE_METRICS.token else []),
        *([twin] if settings.KEDGE_DEMO else []),
    ]
    return [program for program in found if not program.needs or program.needs in commands]


def tied(program: Program) -> list[str]:
    """The program's command line, such that it ends when the supervisor is killed."""
    return processes.tied(program.command, signal=program.stop_signal, account=program.account)


def _metrics() -> Program:
    """It counts rows of all tenants, so it is the workers' database user who asks."""
    command = _gunicorn("config.metrics.gunicorn", settings.KEDGE_METRICS.port)
    return Program("metrics", "kedge", command, role="worker")


def _gunicorn(configuration: str, port: int) -> list[str]:
    bind = f"127.0.0.1:{port}"
    return [sys.executable, "-m", "gunicorn", "-c", f"python:{configuration}", "--bind", bind]


def _manage(command: str) -> list[str]:
    return [sys.executable, str(settings.BASE_DIR / "manage.py"), command]
