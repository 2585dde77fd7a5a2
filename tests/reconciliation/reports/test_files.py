"""A provider's report as bytes: what is read of it, and what is refused with its line."""

import json

import pytest

from reconciliation.reports import files
from reconciliation.reports.files import CSV, JSON, UnreadableReportError, read

CSV_REPORT = "id,ref,amount\npy_1,a-1,12.30\npy_2,a-2,4.00\n"


def test_a_csv_is_read_by_its_names() -> None:
    table = read(CSV_REPORT.encode())
    assert (table.media, table.columns) == (CSV, ("id", "ref", "amount"))
    assert [(row.number, row.values["ref"]) for row in table.rows] == [(2, "a-1"), (3, "a-2")]


@pytest.mark.parametrize("delimiter", ["\t", ";", "|"])
def test_other_delimiters_are_told_by_the_first_line(delimiter: str) -> None:
    table = read(CSV_REPORT.replace(",", delimiter).encode())
    assert table.rows[1].values == {"id": "py_2", "ref": "a-2", "amount": "4.00"}


def test_a_byte_order_mark_windows_line_ends_and_empty_lines_are_no_trouble() -> None:
    content = b"\xef\xbb\xbf" + CSV_REPORT.replace("\n", "\r\n").encode() + b"\r\n\r\n"
    assert [row.values["id"] for row in read(content).rows] == ["py_1", "py_2"]


def test_lines_are_counted_as_an_editor_does_also_after_a_value_of_two_lines() -> None:
    table = read(b'ref,note\na-1,"one\ntwo"\na-2,x\n')
    assert [row.number for row in table.rows] == [2, 4]


def test_missing_values_at_the_end_of_a_line_are_empty() -> None:
    assert read(b"a,b,c\n1\n").rows[0].values == {"a": "1", "b": "", "c": ""}


@pytest.mark.parametrize(
    "value", [[{"ref": "a-1", "amount": 12.30}], {"data": [{"ref": "a-1", "amount": 12.30}]}]
)
def test_a_json_list_is_read_wherever_it_is_usual(value: object) -> None:
    table = read(json.dumps(value).encode())
    assert (table.media, table.columns) == (JSON, ("ref", "amount"))
    assert table.rows[0].values == {"ref": "a-1", "amount": "12.3"}


def test_members_of_inner_objects_have_a_path() -> None:
    table = read(b'[{"id": 7, "metadata": {"action": "a"}, "paid": true, "lines": [1], "x": null}]')
    assert table.rows[0].values == {"id": "7", "metadata.action": "a", "paid": "true", "x": ""}


def test_a_number_keeps_every_digit() -> None:
    assert read(b'[{"n": 90071992547409931.10}]').rows[0].values == {"n": "90071992547409931.10"}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "no column"),
        (b"a,b\n", "no line below"),
        (b"a,a\n1,2\n", "two columns are called 'a'"),
        (b"a,b\n1,2,3\n", "line 2 has 3 values for 2 columns"),
        (b'a,b\n1,"2\n', "line"),
        (b"a,b\n\xff,2\n", "byte 5 is no UTF-8"),
        (b"a,b\n\x00,2\n", "NUL"),
        (b"[1]", "entry 1 is no object"),
        (b"[", "no JSON"),
        (b'[{"a": 1, "a": 2}]', "two members of one name"),
        (b'{"more": []}', "no list of objects"),
        (b'{"data": [], "items": []}', "no list of objects"),
        (b"[" * 100_000, "no JSON"),
        (b"a\n" + b"x" * 2001 + b"\n", "2,001 characters"),
    ],
)
def test_what_would_have_to_be_guessed_is_refused(content: bytes, said: str) -> None:
    with pytest.raises(UnreadableReportError, match=said):
        read(content)


def test_too_much_is_refused_with_what_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MOST_LINES", 2)
    assert len(read(b"a\n1\n2\n").rows) == 2
    with pytest.raises(UnreadableReportError, match="more than 2 lines"):
        read(b"a\n1\n2\n3\n")
    with pytest.raises(UnreadableReportError, match="more than 2 lines"):
        read(b'[{"a": 1}, {"a": 2}, {"a": 3}]')
    monkeypatch.setattr(files, "LARGEST_BYTES", 3)
    with pytest.raises(UnreadableReportError, match="up to 3 are read"):
        read(b"a\n1\n")
