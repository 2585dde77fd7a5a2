"""Where the remotes of each tenant are; a parameter only ever names one, never an address."""

from collections.abc import Callable, Mapping

from agents.tools.git.errors import UnknownRemote

# (tenant, name) → the address that git pushes to and fetches from. Raises `LookupError`.
Remotes = Callable[[str, str], str]


class Registry:
    """Remotes by (tenant, name), from a fixed table."""

    def __init__(self, urls: Mapping[tuple[str, str], str]) -> None:
        self._urls = dict(urls)

    def __call__(self, tenant: str, name: str) -> str:
        try:
            return self._urls[tenant, name]
        except KeyError:
            raise UnknownRemote(f"no remote {name!r} is known for {tenant!r}") from None
