"""What can be done to files of lines, and that it is noticed: cut, changed, taken out, copied, moved."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from reconciliation.journal import chain
from reconciliation.journal.chain import BROKEN, LOST, Walk
from reconciliation.journal.local import LocalRoom
from reconciliation.journal.port import Mark

OLD = b'\n{"attempt": "v1", "at": 1.0, "number": 1}\n'


@pytest.fixture
def room(tmp_path: Path) -> LocalRoom:
    room = LocalRoom(tmp_path / "journal")
    for n in range(5):
        room.add({"attempt": f"a{n}", "at": n})
    return room


def end_of(room: LocalRoom) -> Mark:
    last = list(room.read(Mark()))[-1]
    return Mark(last.seq, last.digest, last.at)


def troubles(room: LocalRoom, since: Mark) -> set[str]:
    walk = Walk(since)
    list(walk.through(room.read(since)))
    return walk.troubles


def lines_of(room: LocalRoom) -> list[bytes]:
    return [line for line in room.path.read_bytes().split(b"\n") if line]


def cut(lines: list[bytes]) -> list[bytes]:
    return lines[:3]


def empty(_lines: list[bytes]) -> list[bytes]:
    return []


def without_one(lines: list[bytes]) -> list[bytes]:
    return [*lines[:2], *lines[3:]]


def with_another(lines: list[bytes]) -> list[bytes]:
    return [*lines[:2], lines[2].replace(b"a2", b"b2"), *lines[3:]]


def beheaded(lines: list[bytes]) -> list[bytes]:
    return lines[2:]


@pytest.mark.parametrize(
    ("done", "since_the_first", "since_the_last"),
    [
        (cut, set(), {LOST}),
        (empty, {LOST}, {LOST}),
        (without_one, {BROKEN}, {BROKEN}),
        (with_another, {BROKEN}, set()),
        (beheaded, {BROKEN, LOST}, set()),
    ],
)
def test_what_is_done_to_lines_is_noticed(
    room: LocalRoom,
    done: Callable[[list[bytes]], list[bytes]],
    since_the_first: set[str],
    since_the_last: set[str],
) -> None:
    first = next(iter(room.read(Mark())))
    marks = Mark(first.seq, first.digest, first.at), end_of(room)
    room.path.write_bytes(b"".join(b"\n" + line + b"\n" for line in done(lines_of(room))))
    assert [troubles(room, mark) for mark in marks] == [since_the_first, since_the_last]


def test_lines_of_the_first_form_are_numbered_and_followed(tmp_path: Path) -> None:
    room = LocalRoom(tmp_path)
    room.path.write_bytes(OLD + OLD.replace(b"v1", b"v2"))
    assert room.add({"attempt": "a", "at": 2.0}).seq == 3
    assert [line.seq for line in room.read(Mark())] == [1, 2, 3]
    second = list(room.read(Mark()))[1]
    since = Mark(second.seq, second.digest, second.at)
    assert [line.seq for line in room.read(since)] == [2, 3]
    assert troubles(room, since) == troubles(room, Mark()) == set()


def test_what_was_torn_by_a_full_disk_is_no_line_and_breaks_no_chain(room: LocalRoom) -> None:
    with room.path.open("ab") as file:
        file.write(b'\n{"attempt": "torn", "at"')
    assert room.add({"attempt": "a5", "at": 5}).seq == 6
    assert troubles(room, Mark()) == set()


def test_a_line_larger_than_a_look_from_the_end_is_found(room: LocalRoom) -> None:
    room.add({"attempt": "large", "at": 5, "target": "x" * 100_000})
    assert room.add({"attempt": "a6", "at": 6}).seq == 7
    assert troubles(room, Mark()) == set()


def test_what_is_being_written_is_not_read_yet(room: LocalRoom) -> None:
    content = chain.encoded({"attempt": "a5", "at": 5}, end_of(room))
    with room.path.open("ab") as file:
        file.write(b"\n" + content)
    assert len(list(room.read(Mark()))) == 5


def test_full_files_stand_beside_and_the_chain_goes_on(tmp_path: Path) -> None:
    room = LocalRoom(tmp_path, segment_bytes=200)
    for n in range(9):
        room.add({"attempt": f"a{n}", "at": n})
    assert len(list(tmp_path.glob("effects-*.jsonl"))) > 2
    room.path.unlink()  # killed between the renaming and the first line
    for path in tmp_path.glob("effects-000000000001.jsonl"):
        assert path.stat().st_size >= 200
    assert troubles(room, Mark()) == set()
    assert room.add({"attempt": "more", "at": 9}).seq > 1


@pytest.mark.parametrize("copied", [shutil.copytree, shutil.move])
def test_a_copy_is_another_place_and_a_folder_that_moved_the_same(
    room: LocalRoom, tmp_path: Path, copied: Callable[[Path, Path], object]
) -> None:
    place = room.place(make=True)
    copied(room.folder, tmp_path / "there")
    there = LocalRoom(tmp_path / "there").place(make=False)
    assert (there == place) == (copied is shutil.move)
