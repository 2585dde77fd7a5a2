"""Every log line is one JSON object with the same fields, and a time with its zone."""

from datetime import UTC, datetime, timedelta

from tests.tenants.test_logs import lines


def test_every_line_has_the_same_fields() -> None:
    assert lines("started")[0].keys() == lines("woken", run="another")[0].keys()


def test_a_line_says_when_with_its_zone() -> None:
    at = datetime.fromisoformat(str(lines("started")[0]["at"]))
    assert at.utcoffset() == timedelta(0)
    assert abs(datetime.now(UTC) - at) < timedelta(seconds=5)


def test_a_message_over_several_lines_stays_one_line() -> None:
    (line,) = lines('two\nlines and a "quote"')
    assert line["message"] == 'two\nlines and a "quote"'
