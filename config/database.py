"""Which PostgreSQL a process talks to, as which user, and with which limits."""

from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from psycopg import IsolationLevel

from config.embedded.places import Places
from config.environment import Environment
from config.errors import GroundError

ROLES = ("owner", "web", "worker")
OWN_URL = {"web": "DATABASE_URL_WEB", "worker": "DATABASE_URL_WORKER"}
# A page must answer; a worker must notice a lost connection before its lease ends, and never waits
# long for a lock: no lock means no effect (rule 4). The owner migrates and may take its time.
LIMITS: dict[str, dict[str, str]] = {
    "owner": {},
    "web": {
        "statement_timeout": "15s",
        "lock_timeout": "1s",
        "idle_in_transaction_session_timeout": "15s",
        "client_connection_check_interval": "1s",
    },
    "worker": {
        "statement_timeout": "30s",
        "lock_timeout": "1s",
        "idle_in_transaction_session_timeout": "30s",
        "client_connection_check_interval": "1s",
    },
}
# A peer that vanished without a word (a net that was cut, a router that forgot) is noticed in about
# half a minute, not in the two hours that a kernel gives it: nobody is to wait on a dead line.
DEAD_LINE = {
    "keepalives_idle": "10",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "25000",
}


def urls(env: Environment, places: Places) -> dict[str, str]:
    """Each role's database address: its own, the common one, or the embedded PostgreSQL's."""
    common = env.get("DATABASE_URL", "")
    if not common:
        return {role: places.database_url(f"kedge_{role}") for role in ROLES}
    return {role: env.get(OWN_URL.get(role, ""), "") or common for role in ROLES}


def user_of(url: str) -> str:
    """The database user an address names."""
    return unquote(urlsplit(url).username or "")


def database(addresses: dict[str, str], role: str, *, test_name: str) -> dict[str, Any]:
    """Django's entry for the one database, as `role`. Raises GroundError for an unreadable address."""
    parts = urlsplit(addresses[role])
    if parts.scheme not in ("postgres", "postgresql") or not parts.path.strip("/"):
        raise GroundError(
            "The database address is not of the form postgresql://user:password@host:port/name."
            " Correct DATABASE_URL, or unset it to use the embedded PostgreSQL."
        )
    query = dict(parse_qsl(parts.query))
    limits = _limits(addresses, role)
    if limits:
        query["options"] = f"{query.get('options', '')} {limits}".strip()
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.lstrip("/")),
        "USER": user_of(addresses[role]),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": query.pop("host", parts.hostname or ""),
        "PORT": query.pop("port", str(parts.port or "")),
        # The web process keeps one connection per thread; workers make their own after each fork.
        "CONN_MAX_AGE": 60 if role == "web" else 0,
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": {
            "isolation_level": IsolationLevel.READ_COMMITTED,
            "application_name": f"kedge-{role}",
            "connect_timeout": "5",
            **DEAD_LINE,
            **query,
        },
        "TEST": {"NAME": test_name},
    }


def _limits(addresses: dict[str, str], role: str) -> str:
    """The limits of a role that has no database user of its own to carry them (see `roles`)."""
    if user_of(addresses[role]) != user_of(addresses["owner"]):
        return ""
    return " ".join(f"-c {name}={value}" for name, value in LIMITS[role].items())
