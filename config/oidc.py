"""Where people sign in with OpenID Connect, if the environment says so: off by default."""

from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from config.environment import Environment
from config.errors import GroundError

NEEDED = ("KEDGE_OIDC_CLIENT_ID", "KEDGE_OIDC_SECRET")


@dataclass(frozen=True)
class Provider:
    """A provider of OpenID Connect: its address, what we are there, and what people call it."""

    url: str
    client_id: str
    name: str
    secret: str = field(repr=False)

    @property
    def origin(self) -> str:
        """Scheme, host and port: where the sign-in form may lead."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc}"

    def as_allauth(self) -> dict[str, Any]:
        """The provider as allauth's settings want it."""
        app = {"provider_id": "oidc", "name": self.name, "client_id": self.client_id}
        more = {"secret": self.secret, "settings": {"server_url": self.url}}
        return {"APPS": [app | more], "OAUTH_PKCE_ENABLED": True}


def provider(env: Environment, *, production: bool) -> Provider | None:
    """The provider that people sign in at, None when KEDGE_OIDC_URL is unset: off by default.

    Raises GroundError for one that is half configured, or that production would reach in the clear.
    """
    url = env.get("KEDGE_OIDC_URL", "").rstrip("/")
    if not url:
        return None
    missing = [name for name in NEEDED if not env.get(name)]
    if missing:
        raise GroundError(f"KEDGE_OIDC_URL is set, so {' and '.join(missing)} must be too.")
    if urlsplit(url).scheme not in ({"https"} if production else {"https", "http"}):
        raise GroundError(f"KEDGE_OIDC_URL is {url!r}; it must be an https address.")
    name = env.get("KEDGE_OIDC_NAME") or urlsplit(url).netloc
    return Provider(url, env["KEDGE_OIDC_CLIENT_ID"], name, env["KEDGE_OIDC_SECRET"])
