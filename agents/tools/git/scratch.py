"""A bare git repository that lives as long as one call."""

import hashlib
import tempfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from agents.tools.git.errors import GitFailed
from agents.tools.git.process import Git, Ran

WORDS_KEPT = 600

_CONFIG = "[core]\n\trepositoryformatversion = 0\n\tbare = true\n"
_NO_REF = ("couldn't find remote ref",)


class Scratch:
    """A throw-away repository. Objects are named by SHA-1, in hex."""

    def __init__(self, folder: Path, git: Git) -> None:
        self.folder = folder
        self._git = git

    def try_git(self, *arguments: str, stdin: bytes = b"") -> Ran:
        """Run git, however it ends. Raises `TimeoutError`."""
        return self._git.run(self.folder, arguments, stdin)

    def git(self, *arguments: str, stdin: bytes = b"") -> bytes:
        """Run git and return its output. Raises `GitFailed` with git's last words."""
        ran = self.try_git(*arguments, stdin=stdin)
        if ran.code != 0:
            raise GitFailed(f"git {arguments[0]}: {ran.said.strip()[-WORDS_KEPT:]}")
        return ran.out

    def write(self, kind: str, body: bytes) -> str:
        """Keep an object ("blob", "commit", "tag") and return its name."""
        whole = f"{kind} {len(body)}\0".encode() + body
        name = hashlib.sha1(whole, usedforsecurity=False).hexdigest()
        place = self.folder / "objects" / name[:2] / name[2:]
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(zlib.compress(whole, 1))
        return name

    def read(self, kind: str, name: str) -> bytes:
        """The bytes of an object. Raises `GitFailed` when it is missing or of another kind."""
        return self.git("cat-file", kind, name)

    def read_all(self, kind: str, names: Sequence[str]) -> dict[str, bytes]:
        """The bytes of those objects that are of one kind, by name."""
        rest = self.git(
            "cat-file", "--batch", stdin="".join(f"{name}\n" for name in names).encode()
        )
        found = {}
        while rest:
            head, _, rest = rest.partition(b"\n")
            words = head.decode().split()
            if words[1] == "missing":
                continue
            size = int(words[2])
            if words[1] == kind:
                found[words[0]] = rest[:size]
            rest = rest[size + 1 :]
        return found

    def parents(self, commit: str) -> list[str]:
        """The parents a commit names, also those that are not here. Raises `GitFailed`."""
        head = self.read("commit", commit).partition(b"\n\n")[0].decode("utf-8", "replace")
        lines = [line.partition(" ") for line in head.splitlines()]
        return [value for name, _, value in lines if name == "parent"]

    def unpack(self, pack: bytes) -> None:
        """Take in the objects of a pack. Raises `GitFailed` for a damaged one."""
        self.git("index-pack", "--stdin", stdin=pack)

    def borrow(self, repository: Path) -> None:
        """See the objects of another repository on this machine too."""
        info = self.folder / "objects" / "info"
        info.mkdir(exist_ok=True)
        (info / "alternates").write_text(f"{repository / 'objects'}\n")

    def end_history_at(self, commit: str) -> None:
        """Say that the parents of `commit` are not here, so that git does not look for them."""
        (self.folder / "shallow").write_text(f"{commit}\n")

    def fetch(self, url: str, *refspecs: str, options: tuple[str, ...] = ()) -> bool:
        """Fetch from a remote; False when it has no such ref. Raises `GitFailed`."""
        # A named remote: git does not take every address for one it can fetch parts from.
        named = ("-c", f"remote.world.url={url}", "fetch")
        plain = ("--quiet", "--no-tags", "--no-write-fetch-head", *options)
        ran = self.try_git(*named, *plain, "world", *refspecs)
        if ran.code == 0:
            return True
        if any(words in ran.said for words in _NO_REF):
            return False
        raise GitFailed(f"git fetch: {ran.said.strip()[-WORDS_KEPT:]}")

    def listed(self, url: str, pattern: str) -> dict[str, str]:
        """The refs of a remote that match, and what they point to. Raises `GitFailed`."""
        lines = self.git("ls-remote", "--refs", url, pattern).decode().splitlines()
        rows = [line.split("\t") for line in lines]
        return {name: target for target, name in rows}

    def refs(self, prefix: str) -> dict[str, str]:
        """Names under `prefix` (without it) and the objects they point to."""
        listed = self.git("for-each-ref", "--format=%(refname) %(objectname)", prefix).decode()
        rows = [line.rsplit(" ", 1) for line in listed.splitlines()]
        return {name.removeprefix(prefix): target for name, target in rows}


@contextmanager
def scratch(git: Git) -> Iterator[Scratch]:
    """A fresh `Scratch`, gone when the block ends."""
    with tempfile.TemporaryDirectory(prefix="kedge-git-") as name:
        folder = Path(name)
        (folder / "objects").mkdir()
        (folder / "refs").mkdir()
        (folder / "HEAD").write_text("ref: refs/heads/none\n")
        (folder / "config").write_text(_CONFIG)
        yield Scratch(folder, git)
