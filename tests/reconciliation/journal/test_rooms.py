"""The port of a journal room, and what every room keeps: files, and an object store."""

import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from reconciliation.errors import JournalError
from reconciliation.journal import chain
from reconciliation.journal.chain import Walk
from reconciliation.journal.local import LocalRoom
from reconciliation.journal.objects import ObjectRoom
from reconciliation.journal.port import Line, Mark, Room
from tests.servers.stores import journal_store


@pytest.fixture(params=["files", "store"])
def room(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Room]:
    """One room of each kind, empty."""
    if request.param == "files":
        yield LocalRoom(tmp_path / "journal", segment_bytes=900)
        return
    with journal_store() as url:
        yield ObjectRoom.of(url)


def beside(room: Room) -> Room:
    """The same journal, as another process opens it."""
    if isinstance(room, ObjectRoom):
        return ObjectRoom(room.bucket, room.prefix)
    assert isinstance(room, LocalRoom)
    return LocalRoom(room.folder)


def fields(name: str, at: float = 0) -> dict[str, object]:
    return {"attempt": name, "at": at, "target": "x" * 100}


def followed(room: Room, since: Mark | None = None) -> tuple[list[str], set[str]]:
    """Names of the lines behind a mark, and what the walk found."""
    walk = Walk(since or Mark())
    names = [line.fields["attempt"] for line in walk.through(room.read(walk.since))]
    return names, walk.troubles


def mark_of(line: Line) -> Mark:
    return Mark(line.seq, line.digest, line.at)


def test_lines_come_back_in_order_and_follow_one_another(room: Room) -> None:
    added = [room.add(fields(f"a{n}")) for n in range(12)]
    assert [line.seq for line in added] == list(range(1, 13))
    assert followed(room) == ([f"a{n}" for n in range(12)], set())


def test_reading_goes_on_from_a_mark(room: Room) -> None:
    for n in range(6):
        room.add(fields(f"a{n}"))
    third = list(room.read(Mark()))[2]
    assert next(iter(room.read(mark_of(third)))).seq == 3
    assert followed(room, mark_of(third)) == (["a3", "a4", "a5"], set())
    last = list(room.read(Mark()))[-1]
    assert followed(room, mark_of(last)) == ([], set())


def test_a_mark_of_another_journal_is_not_followed(room: Room) -> None:
    room.add(fields("a"))
    assert followed(room, Mark(1, "0" * 64))[1] == {chain.BROKEN}
    assert followed(room, Mark(7, "0" * 64))[1] == {chain.LOST}


def test_attempts_are_found_by_their_names(room: Room) -> None:
    for n in range(9):
        room.add(fields(f"a{n}"))
    assert room.find({"a0", "a8", "b"}) == {"a0", "a8"}
    assert room.find(set()) == set()


def test_the_newest_line_is_found_by_who_knows_a_line_before_it(room: Room) -> None:
    assert room.newest() is None
    for n in range(3):
        room.add(fields(f"a{n}"))
    second = list(room.read(Mark()))[1]
    fresh = ObjectRoom(room.bucket, room.prefix) if isinstance(room, ObjectRoom) else room
    fresh.know(mark_of(second))
    newest = fresh.newest()
    assert newest is not None
    assert newest.fields["attempt"] == "a2"
    assert fresh.add(fields("a3")).seq == 4


def test_two_records_in_one_store_meet_at_the_first_line() -> None:
    """Nobody holds a claim there: a clone and its original go on from the same end, and one is first."""
    with journal_store() as url:
        first, second = ObjectRoom.of(url), ObjectRoom.of(url)
        first.add(fields("common"))
        known = {name: {"common"} for name in ("first", "second")}

        def add(room: Room, record: str, attempt: str) -> None:
            known[record].add(attempt)
            room.add(fields(attempt), knows=lambda line: line.fields["attempt"] in known[record])

        add(second, "second", "s0")
        for n in range(2):
            with pytest.raises(JournalError, match="does not know the newest line"):
                add(first, "first", f"f{n}")
            add(second, "second", f"s{n + 1}")
        assert followed(first) == (["common", "s0", "s1", "s2"], set())
        known["first"].add("s2")  # listed as missing, and settled by people
        add(first, "first", "f2")
        with pytest.raises(JournalError, match="does not know the newest line"):
            add(second, "second", "s3")


def test_nothing_follows_a_newest_line_that_is_gone() -> None:
    with journal_store() as url:
        room = ObjectRoom.of(url)
        room.know(Mark(7, "0" * 64))
        with pytest.raises(JournalError, match="its end is gone"):
            room.add(fields("a"), knows=lambda _: True)
        assert list(room.read(Mark())) == []


def test_a_place_is_the_same_until_it_is_another(room: Room) -> None:
    assert room.place(make=False) == ""
    made = room.place(make=True)
    assert made == room.place(make=True) == room.place(make=False) != ""


def test_old_lines_are_forgotten_and_young_ones_never(room: Room) -> None:
    for n in range(12):
        room.add(fields(f"a{n}", at=n))
    end = mark_of(list(room.read(Mark()))[-1])
    assert room.forget(before=end, older_than=6) > 0
    names, troubles = followed(room)
    assert troubles == set()
    assert names[-6:] == [f"a{n}" for n in range(6, 12)]
    assert room.forget(before=Mark(), older_than=time.time()) == 0
    assert room.add(fields("more")).seq == 13


def test_many_hands_write_one_chain(room: Room) -> None:
    written: set[str] = set()

    def write(name: int) -> None:
        for n in range(5):
            # A busy store may leave one unanswered: then nothing is sent, and its line may stand.
            with suppress(JournalError):
                room.add(fields(f"{name}.{n}"))
                written.add(f"{name}.{n}")

    threads = [threading.Thread(target=write, args=[n]) for n in range(3)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    names, troubles = followed(room)
    assert (len(set(names)), troubles) == (len(names), set())
    assert written
    assert written <= set(names)


def test_a_number_that_another_took_is_never_written_over(room: Room) -> None:
    """Two installations with one journal meet at its first free number."""
    other = beside(room)
    room.add(fields("mine"))
    other.add(fields("theirs"))
    assert room.add(fields("mine again")).seq == 3
    assert followed(room) == (["mine", "theirs", "mine again"], set())


def test_the_address_of_a_store_names_bucket_and_prefix() -> None:
    room = ObjectRoom.of("s3://bucket/some/prefix/")
    assert (room.name, room.bucket) == ("s3://bucket/some/prefix", "bucket")
