"""Totals of many effects: added per currency and kind, never guessed, the worst class named."""

from approvals import totals


def test_money_is_added_per_currency_and_counts_per_kind() -> None:
    found = totals.of(
        [
            ({"amount": 1200, "currency": "EUR", "recipients": 1}, "reversible"),
            ({"amount": 5, "currency": "EUR", "files": 2}, "compensable"),
            ({"amount": 700, "currency": "JPY", "recipients": 3}, "reversible"),
        ]
    )
    assert dict(found.money) == {"EUR": 1205, "JPY": 700}
    assert dict(found.counts) == {"recipients": 4, "files": 2}
    assert (found.unmeasured, found.riskiest) == (0, "compensable")


def test_what_cannot_be_added_is_counted_as_unmeasured() -> None:
    found = totals.of([({}, "reversible"), ({"files": "many"}, "reversible"), ({"files": 1}, "")])
    assert (dict(found.counts), found.unmeasured) == ({"files": 1}, 2)


def test_a_class_nobody_knows_is_the_worst() -> None:
    assert totals.of([({}, "reversible"), ({}, "")]).riskiest == "irreversible"
    assert totals.of([]).riskiest == ""
