"""Turns environment variables into settings, and refuses what production must not start with."""

import base64
import os
import secrets
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from config.errors import GroundError
from tenants.signing import BadKey, PublicKey, SigningKey

Environment = Mapping[str, str]
SHORTEST_SECRET = 50
LOCAL_HOSTS = ["127.0.0.1", "localhost", "[::1]"]


def switch(env: Environment, name: str, *, default: bool = False) -> bool:
    """An on/off variable: 1 or 0. Raises GroundError for anything else."""
    value = env.get(name, "1" if default else "0")
    if value not in ("0", "1"):
        raise GroundError(f"{name} is {value!r}; it can be 1 (on) or 0 (off).")
    return value == "1"


def number(env: Environment, name: str, default: int, *, most: int, least: int = 1) -> int:
    """A whole number from `least` to `most`. Raises GroundError for anything else."""
    value = env.get(name) or str(default)
    if not value.isdecimal() or not least <= int(value) <= most:
        said = f"a whole number from {least} to {most}"
        raise GroundError(f"{name} is {value!r}; it must be {said}.")
    return int(value)


def choice(env: Environment, name: str, allowed: tuple[str, ...]) -> str:
    """One of `allowed`, the first when unset. Raises GroundError for anything else."""
    value = env.get(name) or allowed[0]
    if value not in allowed:
        raise GroundError(f"{name} is {value!r}; it can be {' or '.join(allowed)}.")
    return value


def hosts(env: Environment, *, production: bool) -> list[str]:
    """The host names the web process answers to. Production names each one; no wildcards."""
    named = [host.strip() for host in env.get("KEDGE_HOSTS", "").split(",") if host.strip()]
    if not production:
        return [*named, *LOCAL_HOSTS, "testserver"]
    if not named:
        raise GroundError(
            "KEDGE_HOSTS is not set. In production, list the host names people open, with commas."
        )
    wild = [host for host in named if "*" in host or host.startswith(".")]
    if wild:
        raise GroundError(
            f"KEDGE_HOSTS has the wildcard {wild[0]!r}, which production refuses: a forged host"
            " name would be believed in links. List each host name."
        )
    return named


def names(env: Environment, name: str) -> list[str]:
    """A list with commas, in lower case; empty when unset."""
    return [each.strip().lower() for each in env.get(name, "").split(",") if each.strip()]


def address(env: Environment, known: list[str], port: int, *, production: bool) -> str:
    """Where people open this installation, without a slash at the end: what messages link to.

    Unset, it is the first host that production names, or this machine.
    """
    given = env.get("KEDGE_URL", "").rstrip("/")
    if not given:
        return f"https://{known[0]}" if production else f"http://127.0.0.1:{port}"
    if not given.startswith("https://" if production else ("https://", "http://")):
        raise GroundError(f"KEDGE_URL is {given!r}; it must be an https address.")
    return given


def only_in_development(env: Environment, name: str, why: str, *, production: bool) -> bool:
    """An on/off variable that production refuses to have on, because of `why`."""
    wanted = switch(env, name)
    if wanted and production:
        raise GroundError(f"{name}=1 {why}, so production refuses it. Unset it.")
    return wanted


def secret_key(env: Environment, var: Path, *, production: bool) -> str:
    """The key that signs sessions. Development makes one, once, in `var`; production is told one."""
    given = env.get("KEDGE_SECRET_KEY", "")
    if not production:
        return given or _made_once(var / "secret_key")
    if len(given) < SHORTEST_SECRET or len(set(given)) < SHORTEST_SECRET // 10:
        raise GroundError(
            f"KEDGE_SECRET_KEY is {'too short' if given else 'not set'}. In production, set it to"
            f" at least {SHORTEST_SECRET} random characters, the same for every process, for"
            " example from: python -c 'import secrets; print(secrets.token_urlsafe(50))'"
        )
    return given


def signing_key(env: Environment, var: Path, *, production: bool) -> str:
    """The Ed25519 key that signs audit heads and evidence: 32 random bytes in base64.

    Development makes one, once, in `var`; production is told one.
    """
    given = env.get("KEDGE_SIGNING_KEY", "")
    if not given and production:
        raise GroundError(
            "KEDGE_SIGNING_KEY is not set. In production, set it to 32 random bytes in base64, the"
            " same for every process and kept outside the database, for example from: python -c"
            " 'import base64, secrets; print(base64.b64encode(secrets.token_bytes(32)).decode())'"
        )
    key = given or _made_once(var / "signing_key", _new_signing_key)
    try:
        SigningKey.of(key)
    except BadKey as error:
        raise GroundError(f"KEDGE_SIGNING_KEY cannot be used. {error}") from None
    return key


def public_keys(env: Environment, name: str) -> list[str]:
    """Ed25519 public keys in base64, with commas between them. Raises GroundError."""
    given = [key.strip() for key in env.get(name, "").split(",") if key.strip()]
    try:
        return [PublicKey.of(key).text for key in given]
    except BadKey as error:
        raise GroundError(f"{name} names a key that cannot be used. {error}") from None


def seconds(env: Environment, name: str) -> dict[str, int]:
    """Whole seconds by name, as "working=600,for_retry=60". Raises GroundError."""
    found: dict[str, int] = {}
    for each in filter(None, (part.strip() for part in env.get(name, "").split(","))):
        key, _, said = (part.strip() for part in each.partition("="))
        if not key or not said.isdecimal() or not int(said):
            raise GroundError(
                f"{name} says {each!r}; it takes names and whole seconds: a=60,b=120."
            )
        found[key] = int(said)
    return found


def _new_signing_key() -> str:
    return base64.b64encode(secrets.token_bytes(32)).decode()


def _new_secret() -> str:
    return secrets.token_urlsafe(50)


def _made_once(path: Path, make: Callable[[], str] = _new_secret) -> str:
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent)  # only we can read it
        draft = Path(name)
        with os.fdopen(handle, "w") as file:
            file.write(make())
        try:
            # A link, not a rename: of two processes that start at once, the first one's key stays.
            path.hardlink_to(draft)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    return path.read_text()
