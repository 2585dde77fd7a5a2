"""Where the twin pushes to: remotes of its own, made like those of the tenant it shadows."""

SUFFIX = "-twin"


def twin_of(tenant_slug: str) -> str:
    """The name under which the remotes of a tenant's twin stand."""
    return tenant_slug + SUFFIX
