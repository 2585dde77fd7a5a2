"""The proxy cuts exactly where it was told, and says so; the server's side is what it left there."""

from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import SplitResult, urlsplit
from uuid import uuid4

import psycopg
import pytest
import redis
from django.conf import settings
from redis.backoff import NoBackoff
from redis.retry import Retry

from tenants import pipelines
from tests.chaos.instruments import lines, upstreams
from tests.chaos.instruments.lines import AFTER, BEFORE, CLOSE, RACING, RESET, SILENCE, At, Line
from tests.chaos.instruments.postgreswire import ClientSide
from tests.ground import wait_for

pytestmark = pytest.mark.django_db

INTO = "INSERT INTO cut_here"


@pytest.fixture
def line() -> Iterator[Line]:
    with upstreams.before_postgres() as found:
        yield found


@pytest.fixture
def reader() -> Iterator[psycopg.Connection]:
    with psycopg.connect(**upstreams.parameters(), autocommit=True) as found:
        found.execute("CREATE TABLE cut_here (number int)")
        yield found
        found.execute("DROP TABLE cut_here")


@contextmanager
def through(line: Line, **more: object) -> Iterator[psycopg.Connection]:
    client = psycopg.connect(**upstreams.parameters(host=line.host, port=line.port, **more))
    try:
        yield client
    finally:
        client.close()


def count(reader: psycopg.Connection) -> int:
    return int(reader.execute("SELECT count(*) FROM cut_here").fetchone()[0])  # type: ignore[index]


@pytest.mark.parametrize("how", [RESET, CLOSE])
@pytest.mark.parametrize(("when", "stands"), [(BEFORE, 0), (AFTER, 1)])
def test_a_commit_is_cut_off_before_or_after_it_counts(
    line: Line, reader: psycopg.Connection, when: str, how: str, stands: int
) -> None:
    with through(line) as client:
        number = line.cut(At(lines.COMMIT, when, how, within=INTO))
        client.execute("SELECT 1")
        client.commit()  # of another transaction: let through
        client.execute(f"{INTO} VALUES (%s)", [7])
        with pytest.raises(psycopg.OperationalError):
            client.commit()
        assert (line.fired(number), count(reader)) == (1, stands)


def test_of_a_commit_that_is_racing_the_server_hears_after_its_client_is_gone(
    line: Line, reader: psycopg.Connection
) -> None:
    with through(line) as client:
        number = line.cut(At(lines.COMMIT, RACING, within=INTO))
        client.execute(f"{INTO} VALUES (7)")
        with pytest.raises(psycopg.OperationalError):
            client.commit()
        wait_for(lambda: count(reader) == 1, "the server has carried it out")
        assert line.fired(number) == 1


@pytest.mark.parametrize(("when", "stands"), [(BEFORE, 0), (AFTER, 2)])
def test_a_commit_in_a_pipeline_is_cut_off_with_all_that_is_in_it(
    line: Line, reader: psycopg.Connection, when: str, stands: int
) -> None:
    with through(line) as client:
        number = line.cut(At(lines.COMMIT, when, within=INTO))
        row = (f"{INTO} VALUES (%(number)s::int)", {"number": 7})
        with pytest.raises(psycopg.OperationalError):
            pipelines.run(client, [row, row, pipelines.COMMIT])
        assert (line.fired(number), count(reader)) == (1, stands)


@pytest.mark.parametrize(("when", "stands"), [(BEFORE, 2), (AFTER, 3)])
def test_a_statement_that_commits_itself_is_cut_off_behind_others_that_stand(
    line: Line, reader: psycopg.Connection, when: str, stands: int
) -> None:
    with through(line, autocommit=True) as client:
        number = line.cut(At(INTO, when, skip=2))
        row = (f"{INTO} VALUES (%(number)s::int)", {"number": 7})
        sent = [pipelines.Exchange(client, [row], typed=False, behind=True) for _ in range(3)]
        assert [each.rows() for each in sent[:2]] == [[[]], [[]]]
        with pytest.raises(psycopg.OperationalError):
            sent[2].rows()
        wait_for(lambda: count(reader) == stands, "what was sent before stands")
        assert line.fired(number) == 1


def test_a_line_that_falls_silent_leaves_the_transaction_open_and_its_locks_held(
    line: Line, reader: psycopg.Connection
) -> None:
    with through(line, autocommit=True) as client:
        reader.execute(f"{INTO} VALUES (7)")
        number = line.cut(At(lines.COMMIT, how=SILENCE))
        client.execute("BEGIN")
        client.execute("UPDATE cut_here SET number = 8")
        client.pgconn.send_query(b"COMMIT")
        line.wait_until_fired(number)
        with pytest.raises(psycopg.errors.LockNotAvailable):
            reader.execute("SELECT * FROM cut_here FOR UPDATE NOWAIT")
        line.sever(CLOSE)
        wait_for(lambda: _free(reader), "the lock is free")
        assert reader.execute("SELECT number FROM cut_here").fetchone() == (7,)


def test_what_is_held_back_passes_once_it_is_healed(line: Line) -> None:
    with through(line, autocommit=True) as client:
        line.hold()
        client.pgconn.send_query(b"SELECT 1")
        assert line.lines() == 1
        line.heal()
        assert client.pgconn.get_result() is not None


def test_who_is_refused_is_reset_until_it_is_healed(line: Line) -> None:
    line.refuse()
    with pytest.raises(psycopg.OperationalError), through(line):
        pass
    line.heal()
    with through(line):
        pass


def test_a_push_to_valkey_is_cut_off_before_or_after_it_stands() -> None:
    parts, name = urlsplit(settings.REDIS_URL), f"cut:{uuid4()}"
    direct = redis.Redis.from_url(parts._replace(query="", fragment="").geturl())
    with direct, lines.opened(upstreams.of_valkey(), protocol="bytes") as line:
        for when, stands in ((BEFORE, 0), (AFTER, 1)):
            number = line.cut(At("RPUSH", when))
            with (
                redis.Redis(
                    host=line.host, port=line.port, db=_number(parts), retry=Retry(NoBackoff(), 0)
                ) as client,
                pytest.raises(redis.ConnectionError),
            ):
                client.rpush(name, "a")
            assert (line.fired(number), direct.llen(name)) == (1, stands)
        direct.delete(name)


def test_messages_are_whole_however_the_bytes_arrive() -> None:
    start = b"\0\0\0\x08\0\x03\0\0"
    query = b"Q\0\0\0\x0bCOMMIT\0"
    side = ClientSide()
    found = [each for byte in start + query for each in side.feed(bytes([byte]))]
    assert [(each.raw, each.executes) for each in found] == [(start, None), (query, b"COMMIT")]


def _number(parts: SplitResult) -> int:
    return int(parts.path.strip("/") or 0) if parts.scheme != "unix" else 0


def _free(reader: psycopg.Connection) -> bool:
    try:
        reader.execute("SELECT * FROM cut_here FOR UPDATE NOWAIT")
    except psycopg.errors.LockNotAvailable:
        return False
    return True
