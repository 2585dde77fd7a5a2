"""What is being done while everything is attacked: the kinds of runs, and what each does to the world."""

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.chaos import registry
from tests.crash import registry as crash
from tests.crash.databases import TENANT
from tests.crash.worlds import REPOSITORY

Content = Callable[[str], Mapping[str, object]]


@dataclass(frozen=True)
class Work:
    """One kind of run. `effects` is how many it has when it succeeds; `pushes`: to a remote of its own."""

    name: str
    task_type: str
    content: Content
    effects: int = 0
    pushes: bool = False
    share: int = 1


def recipient(key: str) -> str:
    """Whom the run with this business key writes to."""
    return f"{key}@kedge.example"


def _acting(tool: str) -> Work:
    return Work(
        tool.replace(".", "_"),
        registry.ACTING,
        lambda key: {"steps": 2, "tool": tool, "what": key},
        effects=1,
    )


def _fleet(key: str) -> Mapping[str, object]:
    rule = {"kind": "codemod", "name": "explicit-encoding"}
    return {"repository": key, "rule": rule, "maintainer": recipient(key), "campaign": "chaos"}


ACTING = tuple(_acting(tool.name) for tool in registry.FAKES)
HUNGRY = Work("hungry", registry.HUNGRY, lambda key: {"key": key})
LARGE = Work("large", registry.LARGE, lambda key: {"key": key})
MAIL = Work("mail", registry.MAILING, lambda key: {"to": recipient(key)}, effects=1)
KINDS = (
    Work("compute", crash.LONG, lambda _key: {"steps": 60}),
    Work("read", "repository_report", lambda _key: {"repository": REPOSITORY, "limit": 10}),
    Work("model", registry.ACTING, lambda _key: {"steps": 4}),
    *ACTING,
    MAIL,
    Work("fleet", "fleet_change", _fleet, effects=2, pushes=True, share=2),
)
BY_NAME = {kind.name: kind for kind in (*KINDS, HUNGRY, LARGE)}


def remote(remotes: Path, repository: str) -> Path:
    """The bare repository of that name."""
    return remotes / TENANT / f"{repository}.git"


def prepare(kind: Work, key: str, remotes: Path) -> None:
    """Make the part of the world that a run needs: what pushes has a remote of its own."""
    if kind.pushes and not remote(remotes, key).exists():
        shutil.copytree(remote(remotes, REPOSITORY), remote(remotes, key))
