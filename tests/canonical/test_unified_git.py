"""What a real git writes is read as what really happened to the files."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from canonical.unified import FileDiff, parse_unified

ODD_NAMES = [
    "with blank",
    "tab\tname",
    'quo"te',
    "back\\slash",
    "naïve",
    "line\nfeed",
    "b/b",
    "a b/a b",
]


@pytest.fixture
def git(tmp_path: Path) -> Callable[..., str]:
    """Run git in an own repository, untouched by the settings of whoever runs the test."""
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "Ada",
        "GIT_AUTHOR_EMAIL": "ada@example.org",
        "GIT_COMMITTER_NAME": "Ada",
        "GIT_COMMITTER_EMAIL": "ada@example.org",
    }

    def run(*arguments: str) -> str:
        done = subprocess.run(
            ["git", *arguments], cwd=tmp_path, env=environment, check=True, capture_output=True
        )
        return done.stdout.decode("utf-8", "surrogateescape")

    run("init", "-q")
    return run


@pytest.fixture
def diff(git: Callable[..., str], tmp_path: Path) -> Callable[..., dict[str, FileDiff]]:
    """Commit what is there, let the test change the folder, and read the diff, by name."""

    def read(change: Callable[[Path], None], *options: str) -> dict[str, FileDiff]:
        git("add", "-A")
        git("commit", "-q", "--allow-empty", "-m", "before")
        change(tmp_path)
        git("add", "-A")
        files = parse_unified(git("diff", "--cached", "--no-renames", *options))
        return {file.name: file for file in files}

    return read


def test_new_changed_and_deleted_files(
    tmp_path: Path, diff: Callable[..., dict[str, FileDiff]]
) -> None:
    (tmp_path / "old").write_text("1\n2\n3")
    (tmp_path / "gone").write_text("1\n2\n")
    (tmp_path / "gone-empty").write_text("")

    def change(at: Path) -> None:
        (at / "old").write_text("1\ntwo\n3\n")
        (at / "new").write_text("1\n")
        (at / "new-empty").write_text("")
        (at / "gone").unlink()
        (at / "gone-empty").unlink()

    files = diff(change)
    assert {
        n: (f.status, f.added, f.removed, f.old_mode, f.new_mode) for n, f in files.items()
    } == {
        "old": ("changed", 2, 2, "100644", "100644"),
        "new": ("added", 1, 0, None, "100644"),
        "new-empty": ("added", 0, 0, None, "100644"),
        "gone": ("deleted", 0, 2, "100644", None),
        "gone-empty": ("deleted", 0, 0, "100644", None),
    }
    assert (files["new"].old_name, files["gone"].new_name) == (None, None)


def test_modes_and_links(tmp_path: Path, diff: Callable[..., dict[str, FileDiff]]) -> None:
    (tmp_path / "script").write_text("x\n")
    (tmp_path / "both").write_text("x\n")

    def change(at: Path) -> None:
        (at / "script").chmod(0o755)
        (at / "both").chmod(0o755)
        (at / "both").write_text("y\n")
        (at / "link").symlink_to("/etc/passwd")

    files = diff(change)
    assert {n: (f.old_mode, f.new_mode, f.mode_changed) for n, f in files.items()} == {
        "script": ("100644", "100755", True),
        "both": ("100644", "100755", True),
        "link": (None, "120000", False),
    }
    assert files["script"].hunks == ()
    assert files["link"].hunks[0].rows[0].text == "/etc/passwd"


@pytest.mark.parametrize("name", ODD_NAMES)
def test_odd_names_in_every_kind_of_change(
    name: str, tmp_path: Path, diff: Callable[..., dict[str, FileDiff]]
) -> None:
    for kind in ("edit", "mode", "binary", "gone", "move"):
        (tmp_path / kind / name).parent.mkdir(parents=True)
        (tmp_path / kind / name).write_text(f"{kind}\n" * 9)

    def change(at: Path) -> None:
        (at / "edit" / name).write_text("edited\n")
        (at / "mode" / name).chmod(0o755)
        (at / "binary" / name).write_bytes(b"\0\1")
        (at / "gone" / name).unlink()
        (at / "moved").mkdir()
        (at / "move" / name).rename(at / "moved" / name.replace("/", "-"))

    files = diff(change, "-M")
    moved = files.pop("moved/" + name.replace("/", "-"))
    assert (moved.status, moved.old_name) == ("renamed", "move/" + name)
    assert {n: (f.status, f.binary) for n, f in files.items()} == {
        "edit/" + name: ("changed", False),
        "mode/" + name: ("changed", False),
        "binary/" + name: ("changed", True),
        "gone/" + name: ("deleted", False),
    }


@pytest.mark.parametrize("options", [(), ("--binary",)])
def test_binary_files_have_no_rows(
    options: tuple[str, ...], tmp_path: Path, diff: Callable[..., dict[str, FileDiff]]
) -> None:
    (tmp_path / "image").write_bytes(bytes(range(256)) * 20)

    def change(at: Path) -> None:
        (at / "image").write_bytes(bytes(reversed(range(256))) * 20)
        (at / "new image").write_bytes(b"\0")
        (at / "text").write_text("x\n")

    files = diff(change, *options)
    assert {n: (f.status, f.binary, f.hunks == ()) for n, f in files.items()} == {
        "image": ("changed", True, True),
        "new image": ("added", True, True),
        "text": ("added", False, False),
    }


def test_a_copy_and_a_rename_with_edits(
    tmp_path: Path, diff: Callable[..., dict[str, FileDiff]]
) -> None:
    text = "".join(f"line {n}\n" for n in range(50))
    (tmp_path / "source").write_text(text)
    (tmp_path / "before").write_text(text.replace("line", "row"))

    def change(at: Path) -> None:
        (at / "copy").write_text(text)
        (at / "before").unlink()
        (at / "after").write_text(text.replace("line", "row") + "end\n")

    files = diff(change, "-M", "-C", "--find-copies-harder")
    assert (files["copy"].status, files["copy"].old_name) == ("copied", "source")
    assert (files["after"].status, files["after"].old_name) == ("renamed", "before")
    assert (files["after"].added, files["after"].removed) == (1, 0)


def test_a_name_that_is_not_utf8_stays_readable(
    tmp_path: Path, diff: Callable[..., dict[str, FileDiff]]
) -> None:
    name = os.fsencode(tmp_path) + b"/\xff"

    def change(_at: Path) -> None:
        Path(os.fsdecode(name)).write_text("x\n")

    files = diff(change)
    assert list(files) == ["\\xff"]
