"""How the metrics are served, from the environment. It knows no Django: the settings ask here."""

from dataclasses import dataclass, field
from typing import Final

from config import environment
from config.environment import Environment
from config.errors import GroundError

SHORTEST_TOKEN: Final = 32


@dataclass(frozen=True)
class Options:
    """`token` "" serves nothing. `by_tenant`: each tenant by its slug, instead of their sums."""

    token: str = field(repr=False)
    port: int
    by_tenant: bool


def options(env: Environment) -> Options:
    """Raises GroundError for a token that can be guessed, or that no header carries."""
    token = env.get("KEDGE_METRICS_TOKEN", "")
    if token and (len(token) < SHORTEST_TOKEN or not _fits_a_header(token)):
        raise GroundError(
            f"KEDGE_METRICS_TOKEN must be at least {SHORTEST_TOKEN} visible ASCII characters, for"
            " example from: python -c 'import secrets; print(secrets.token_urlsafe(32))'."
            " Unset it to serve no metrics."
        )
    return Options(
        token=token,
        port=environment.number(env, "KEDGE_METRICS_PORT", 8701, most=65535),
        by_tenant=environment.switch(env, "KEDGE_METRICS_TENANTS"),
    )


def _fits_a_header(token: str) -> bool:
    return token.isascii() and token.isprintable() and " " not in token
