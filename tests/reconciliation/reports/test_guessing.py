"""What a report's columns most likely mean."""

from uuid import uuid4

from reconciliation.reports.files import read
from reconciliation.reports.guessing import guess


def test_the_column_with_our_ids_is_our_reference_whatever_it_is_called() -> None:
    table = read(f"Reference,Memo\npy_1,{uuid4()}\npy_2,{uuid4()}\n".encode())
    assert guess(table).reference == "Memo"


def test_the_rest_goes_by_name() -> None:
    table = read(b"id,metadata.ref,Amount,Currency,Status,Created\n1,a,1.00,EUR,Paid,\n")
    found = guess(table)
    assert (found.reference, found.amount, found.currency) == ("metadata.ref", "Amount", "Currency")
    assert (found.status, found.done, found.at) == ("Status", ("paid",), "Created")


def test_what_looks_like_nothing_is_left_open() -> None:
    assert guess(read(b"x,y\n1,2\n")).named() == ()
