"""A real bare repository as the outside world of a test, and what somebody else does to it."""

import os
import stat
import subprocess
from collections.abc import Mapping
from pathlib import Path

FIRST = {
    "README.md": b"# Ship\n",
    "src/anchor.py": b"def drop():\n    return 1\n",
    "src/rope.py": b"LENGTH = 12\n",
    "docs/log/day1.txt": b"calm\n",
}
ELSE = "Somebody Else <else@example.org> 1700000000 +0000"


def git(folder: Path, *arguments: str, stdin: bytes = b"") -> str:
    """Run git as somebody else would, and fail loudly."""
    environment = {"PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1", "HOME": str(folder)}
    command = ["git", "-C", str(folder), *arguments]
    done = subprocess.run(command, input=stdin, capture_output=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode("utf-8", "surrogateescape").strip()


class Remote:
    """`folder` is the bare repository; its branch main has the files of `FIRST`."""

    def __init__(self, folder: Path, files: Mapping[str, bytes] = FIRST) -> None:
        self.folder = folder
        folder.mkdir(parents=True)
        git(folder, "init", "--quiet", "--bare", "--initial-branch=main")
        if files:
            self.commit(files, message="one")

    def commit(
        self, files: Mapping[str, bytes], *, message: str = "else", modes: Mapping[str, str] = {}
    ) -> str:
        """Somebody else commits to main."""
        parent = f"from {self.head()}\n" if self.head() else ""
        said = message.encode()
        lines = [f"commit refs/heads/main\nauthor {ELSE}\ncommitter {ELSE}\n".encode()]
        lines += [f"data {len(said)}\n".encode(), said, f"\n{parent}".encode()]
        for path, content in files.items():
            mode = modes.get(path, "100644")
            lines += [f"M {mode} inline {path}\ndata {len(content)}\n".encode(), content, b"\n"]
        git(self.folder, "fast-import", "--quiet", "--force", stdin=b"".join(lines))
        return self.head()

    def head(self, branch: str = "main") -> str:
        return self.refs().get(f"refs/heads/{branch}", "")

    def refs(self) -> dict[str, str]:
        listed = git(self.folder, "for-each-ref", "--format=%(refname) %(objectname)")
        return dict(line.split(" ") for line in listed.splitlines())

    def reset(self, commit: str, branch: str = "main") -> None:
        """Somebody else moves the branch."""
        git(self.folder, "update-ref", f"refs/heads/{branch}", commit)

    def history(self, branch: str = "main") -> list[str]:
        return git(self.folder, "rev-list", f"refs/heads/{branch}").splitlines()

    def file(self, path: str, commit: str = "main") -> str:
        return git(self.folder, "show", f"{commit}:{path}")

    def hook(self, name: str, script: str) -> None:
        place = self.folder / "hooks" / name
        place.parent.mkdir(exist_ok=True)
        place.write_text(f"#!/bin/sh\n{script}\n")
        place.chmod(place.stat().st_mode | stat.S_IXUSR)

    def unhook(self, name: str) -> None:
        (self.folder / "hooks" / name).unlink()

    def configure(self, name: str, value: str) -> None:
        git(self.folder, "config", name, value)
