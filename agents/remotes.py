"""Where the repositories of a tenant live."""

import re
from pathlib import Path

from django.conf import settings

from agents.errors import UnknownRepository

BRANCH_NAME = "main"
BRANCH = f"refs/heads/{BRANCH_NAME}"

NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?")


def root() -> Path:
    """The folder of all remotes: `KEDGE_REMOTES`, else `remotes` in the data folder."""
    return Path(getattr(settings, "KEDGE_REMOTES", "") or Path(settings.VAR_DIR) / "remotes")


def remote_url(tenant_slug: str, name: str) -> str:
    """The remote of repository `name`. Raises `UnknownRepository` for anything but plain names."""
    for part in (tenant_slug, name):
        if not NAME.fullmatch(part):
            raise UnknownRepository(f"{part!r} is not the name of a tenant or repository")
    return str(root() / tenant_slug / f"{name}.git")


def source(repository: str) -> str:
    """The name of what a run reads, as it stands in its fingerprints."""
    return f"git:{repository}#{BRANCH_NAME}"
