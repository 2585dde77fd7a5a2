"""One line of a report through the columns it is mapped to."""

from datetime import UTC, datetime
from uuid import uuid4

import pytest

from reconciliation.reports.columns import COMMA, MINOR, Columns, UnreadableLineError, read
from reconciliation.reports.files import Row

COLUMNS = Columns(
    "ref", "amount", currency="currency", status="status", done=("succeeded",), at="created"
)


def line(columns: Columns = COLUMNS, **values: str) -> object:
    usual = {"ref": "a", "amount": "1.00", "currency": "eur", "status": "succeeded", "created": ""}
    return read(Row(7, usual | values), columns)


@pytest.mark.parametrize("form", ["{}", "kedge:{}", "refund {} of order 8812", "{}/1"])
def test_our_id_is_found_wherever_it_stands_in_the_reference(form: str) -> None:
    id_ = uuid4()
    found = read(Row(2, {"ref": form.format(str(id_).upper())}), Columns("ref"))
    assert found.ids == (id_,)


def test_an_idempotency_key_is_found_too() -> None:
    found = read(Row(2, {"ref": f"key={'ab' * 32};"}), Columns("ref"))
    assert found.keys == (b"\xab" * 32,)
    assert read(Row(2, {"ref": "ab" * 33}), Columns("ref")).keys == ()


@pytest.mark.parametrize(
    ("said", "currency", "minor"),
    [
        ("12.3", "EUR", 1230),
        ("-12.30", "eur", -1230),
        ("\u221212.30", "EUR", -1230),
        ("1234", "JPY", 1234),
        ("1.234", "KWD", 1234),
        ("0", "EUR", 0),
    ],
)
def test_an_amount_becomes_minor_units_of_its_currency(
    said: str, currency: str, minor: int
) -> None:
    found = read(Row(2, {"ref": "a", "amount": said, "currency": currency}), Columns("ref", "amount", currency="currency"))  # fmt: skip
    assert (found.amount, found.currency) == (minor, currency.upper())


def test_minor_units_and_a_decimal_comma_are_read_as_mapped() -> None:
    assert read(Row(2, {"ref": "a", "n": "1230"}), Columns("ref", "n", unit=MINOR)).amount == 1230
    comma = Columns("ref", "n", decimal=COMMA, only_currency="EUR")
    assert read(Row(2, {"ref": "a", "n": "12,30"}), comma).amount == 1230


@pytest.mark.parametrize(
    "said", ["", "1,234.50", "12.345", "NaN", "1e3", "twelve", "9" * 20, "1 2"]
)
def test_an_amount_that_would_have_to_be_guessed_is_refused(said: str) -> None:
    with pytest.raises(UnreadableLineError, match="'amount' is no"):
        line(amount=said)


def test_a_comma_is_no_point() -> None:
    with pytest.raises(UnreadableLineError):
        line(amount="12,30")
    with pytest.raises(UnreadableLineError):
        line(Columns("ref", "amount", decimal=COMMA), amount="12.30")


def test_a_line_without_reference_is_refused() -> None:
    with pytest.raises(UnreadableLineError, match="'ref' is empty"):
        line(ref="")


def test_only_the_statuses_that_say_so_are_done() -> None:
    assert [line(status=word).done for word in ("Succeeded", "failed", "")] == [True, False, False]  # type: ignore[attr-defined]
    assert read(Row(2, {"ref": "a"}), Columns("ref")).done


@pytest.mark.parametrize("said", ["2026-11-29T02:40:00+00:00", "2026-11-29 02:40:00 UTC", "2026-11-29T02:40", "1795920000"])  # fmt: skip
def test_a_time_is_read_as_utc_where_it_names_no_zone(said: str) -> None:
    at = line(created=said).at  # type: ignore[attr-defined]
    assert at == (
        datetime.fromtimestamp(1_795_920_000, UTC)
        if said.isdigit()
        else datetime(2026, 11, 29, 2, 40, tzinfo=UTC)
    )


def test_another_time_is_refused() -> None:
    with pytest.raises(UnreadableLineError, match="no time"):
        line(created="29/11/26")


def test_columns_come_back_as_they_were_kept() -> None:
    assert Columns.from_json(COLUMNS.as_json()) == COLUMNS
    assert COLUMNS.named() == ("ref", "amount", "currency", "status", "created")
