"""Makes the demo repositories at first start, from the source of packages that are installed.

The same installed versions make the same commits, to the last bit: authors and dates are fixed. A
repository that is there already is never touched, whatever has been pushed to it since.
"""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from itertools import pairwise
from pathlib import Path

from agents.errors import SeedingFailed
from agents.fleet import FLEET, Repository
from agents.gitobjects import environment
from agents.remotes import BRANCH, remote_url
from tenants.keys import hiding

Progress = Callable[[str, int, int], None]  # repository, how many are done, how many there are

SUFFIXES = (".py", ".pyi", ".html", ".txt", ".lua", ".cfg")
FIRST_COMMIT_AT = 1_738_573_200  # 3 February 2025, 09:00 UTC
SECONDS_BETWEEN = 31 * 3600
PEOPLE = (
    "Ada Vance <ada@kedge.example>",
    "Ravi Anand <ravi@kedge.example>",
    "Mei Lindqvist <mei@kedge.example>",
    "Olu Bakare <olu@kedge.example>",
)
# Never tidied up in the background: nothing but a push changes a remote.
CONFIGURATION = {"gc.auto": "0", "receive.autogc": "false", "fastimport.unpackLimit": "1"}


@dataclass(frozen=True)
class Step:
    """One commit of a history: the files it writes, whole."""

    number: int
    message: str
    files: dict[str, bytes]


def prepare(tenant_slug: str, progress: Progress = lambda *_: None) -> list[str]:
    """Make what is missing of a tenant's repositories; returns the names of those made now.

    Raises `SeedingFailed`. Killed at any moment, it leaves no half repository behind.
    """
    made = []
    for done, repository in enumerate(FLEET, start=1):
        place = Path(remote_url(tenant_slug, repository.name))
        if not place.exists() and put(place, steps(repository)):
            made.append(repository.name)
        progress(repository.name, done, len(FLEET))
    return made


def steps(repository: Repository) -> list[Step]:
    """The history of a repository, oldest first."""
    found = list(_source(repository))
    parts = min(repository.commits, len(found))
    bounds = [len(found) * part // parts for part in range(parts + 1)]
    return [
        _step(repository, number, dict(found[start:end]), end, len(found))
        for number, (start, end) in enumerate(pairwise(bounds))
    ]


def put(place: Path, history: Iterable[Step]) -> bool:
    """Make a bare repository of this history; False when another process was faster.

    Raises `SeedingFailed`.
    """
    place.parent.mkdir(parents=True, exist_ok=True)
    workshop = Path(tempfile.mkdtemp(prefix=".making-", dir=place.parent))
    try:
        bare = workshop / "bare.git"
        _git("init", "--quiet", "--bare", "--initial-branch=main", "--template=", str(bare))
        for name, value in CONFIGURATION.items():
            _git(f"--git-dir={bare}", "config", name, value)
        stream = b"".join(part for step in history for part in _commit(step))
        _git(f"--git-dir={bare}", "fast-import", "--quiet", "--done", given=stream + b"done\n")
        return _put_in_place(bare, place)
    finally:
        shutil.rmtree(workshop, ignore_errors=True)


def _put_in_place(bare: Path, place: Path) -> bool:
    try:
        bare.rename(place)
    except OSError:
        if place.exists():
            return False
        raise
    folder = os.open(place.parent, os.O_RDONLY)
    os.fsync(folder)
    os.close(folder)
    return True


def _source(repository: Repository) -> Iterator[tuple[str, bytes]]:
    """Path and bytes of each file of the installed package, by path; its licence first."""
    try:
        package = distribution(repository.distribution)
    except PackageNotFoundError as missing:
        raise SeedingFailed(f"The package {repository.distribution} is not installed") from missing
    listed = sorted(package.files or [], key=str)
    licence = next((file for file in listed if _is_licence(file.parts, file.name)), None)
    if licence is not None:
        yield "LICENSE", licence.read_binary()
    wanted = [file for file in listed if _is_wanted(repository, str(file))]
    for file in wanted:
        yield str(file), file.read_binary()


def _is_licence(parts: Iterable[str], name: str) -> bool:
    return any(part.endswith(".dist-info") for part in parts) and name.startswith(
        ("LICENSE", "COPYING")
    )


def _is_wanted(repository: Repository, path: str) -> bool:
    inside = path.startswith(repository.folder + "/") and not path.startswith(repository.without)
    return inside and path.endswith(SUFFIXES) and "/locale/" not in path


def _step(
    repository: Repository, number: int, new: dict[str, bytes], done: int, total: int
) -> Step:
    first = next(iter(new))
    readme = f"# {repository.name}\n\nFrom {repository.distribution}. {done} of {total} files.\n"
    subject = f"Add {first}" if len(new) == 1 else f"Add {len(new)} files from {first} on"
    return Step(number, subject, new | {"README.md": readme.encode()})


def _commit(step: Step) -> Iterator[bytes]:
    """One commit in the language of git fast-import."""
    who = f"{PEOPLE[step.number % len(PEOPLE)]} {FIRST_COMMIT_AT + step.number * SECONDS_BETWEEN}"
    yield f"commit {BRANCH}\nauthor {who} +0000\ncommitter {who} +0000\n".encode()
    yield _data(step.message.encode())
    for path, content in sorted(step.files.items()):
        yield f"M 100644 inline {path}\n".encode() + _data(content)


def _data(content: bytes) -> bytes:
    return b"data %d\n%b\n" % (len(content), content)


def _git(*arguments: str, given: bytes = b"") -> None:
    done = subprocess.run(
        ["git", *arguments], input=given, capture_output=True, check=False, timeout=120,
        env=environment(),
    )  # fmt: skip
    if done.returncode != 0:
        said = hiding.text(done.stderr.decode("utf-8", "replace").strip()).last(500)
        raise SeedingFailed(f"git {arguments[0]} failed: {said}")
