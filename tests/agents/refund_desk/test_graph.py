"""The refund desk from its first node to its end, at real systems; the answers are given by hand."""

from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest

from agents.errors import InvalidAnswer, TicketMismatch, TicketUnreadable
from agents.refund_desk import reading, words
from agents.refund_desk.graph import GRAPH
from canonical.json import loads
from checkpoints.graph import (
    EXPIRED,
    HAPPENED,
    REFUSED,
    REJECTED,
    SENT_BACK,
    WRITTEN_OFF,
    Proposal,
    Result,
)
from tests.agents.context import Answer, MemoryContext, Walked, versions_of, walk
from tests.servers.shop import MAIL, NAME, SAID, Shop

NOT_DONE = (REFUSED, REJECTED, EXPIRED, WRITTEN_OFF)
READ = ["read_ticket", "read_purchase", "classify", "check"]
REST = ["next_step", "write_paper", "store", "read_again", "answer", "mail"]


def answers(*kinds: str) -> Answer:
    """These results in this order, whatever is proposed; then everything happens."""
    rest: Iterator[tuple[int, str]] = iter(enumerate([*kinds, *[HAPPENED] * 20], start=1))

    def answer(_node: str, _proposal: Proposal) -> Result:
        number, kind = next(rest)
        return Result(kind, f"action-{number}", note=f"note {number}")

    return answer


def run(
    ticket: str, answer: Answer | None = None, variant: str = ""
) -> tuple[MemoryContext, Walked]:
    given = {"ticket": ticket}
    jsonschema.validate(given, GRAPH.manifest.input_schema)
    context = MemoryContext(given, combo=versions_of("refund_desk", variant))
    return context, walk(GRAPH, context, answer or answers())


def proposed(walked: Walked, node: str) -> list[dict[str, Any]]:
    return [proposal.parameters for name, proposal in walked.proposals if name == node]


def test_four_effects_in_this_order_end_in_success(shop: Shop) -> None:
    purchase = shop.sell()
    _, walked = run(shop.ticket(purchase))
    assert walked.nodes == [*READ, "book", *REST]
    assert GRAPH.manifest.succeeded(walked.state)
    assert [node for node, _ in walked.proposals] == ["book", "store", "answer", "mail"]


def test_the_amount_is_that_of_the_tickets_own_field(shop: Shop) -> None:
    purchase = shop.sell()
    ticket = shop.ticket(purchase, 2_575, said="Please pay me back what I paid.")
    _, walked = run(ticket)
    assert proposed(walked, "book") == [
        {
            "ticket": ticket,
            "number": 1,
            "purchase": purchase,
            "cents": 2_575,
            "currency": "EUR",
        }
    ]
    (mail,) = proposed(walked, "mail")
    assert mail["to"] == MAIL
    assert "25.75 EUR" in mail["body"]


def test_nobody_is_named_in_document_answer_and_letter(shop: Shop) -> None:
    context, walked = run(shop.ticket(shop.sell()))
    (paper,) = proposed(walked, "store")
    document = context.get(paper["document"]).decode()
    (answer,), (mail,) = proposed(walked, "answer"), proposed(walked, "mail")
    for text in (document, answer["answer"], mail["subject"], mail["body"]):
        assert not any(private in text for private in (NAME, MAIL, SAID))
    assert loads(document)["refunds"] == [  # type: ignore[index, call-overload]
        {"action": "action-1", "number": 1, "amount": "40.00 EUR"}
    ]


def test_the_answer_is_for_the_version_that_was_read_last(shop: Shop) -> None:
    ticket = shop.ticket(shop.sell())
    given = answers()

    def answer(node: str, proposal: Proposal) -> Result:
        if node == "store":
            shop.change(ticket, said="Thank you!")
        return given(node, proposal)

    _, walked = run(ticket, answer)
    (answered,) = proposed(walked, "answer")
    assert answered["version"] == shop.see(ticket)["@etag"]
    assert walked.state["ticket"]["said"] == "Thank you!"


def test_a_question_ends_without_any_effect(shop: Shop) -> None:
    _, walked = run(shop.ticket(shop.sell(), title="When do you open?"))
    assert walked.nodes == READ
    assert walked.proposals == []
    assert GRAPH.manifest.succeeded(walked.state)


@pytest.mark.parametrize(
    ("fields", "because"),
    [
        ({"shop": "other"}, "another shop"),
        ({"cents": 0}, "no amount"),
        ({"customer": "c-8"}, "another customer"),
        ({"customer_mail": "annemarie at example"}, "no address"),
        ({"currency": "USD"}, "not both in EUR"),
        ({"purchase": "p-nobody"}, "have no purchase"),
        ({"said": "I paid 400.00 EUR, so send me that."}, "says 40.00 EUR, and the customer"),
    ],
)
def test_what_does_not_agree_needs_a_person(
    shop: Shop, fields: dict[str, Any], because: str
) -> None:
    ticket = shop.ticket(**{"purchase": shop.sell(), **fields})
    with pytest.raises(TicketMismatch, match=because):
        run(ticket)


def test_an_amount_the_customer_names_rightly_is_no_mismatch(shop: Shop) -> None:
    _, walked = run(shop.ticket(shop.sell(), said="I paid 100.00 EUR and want 40,00 € back"))
    assert walked.state["booked"][0]["cents"] == 4_000


def test_a_ticket_or_tracker_that_is_not_there_is_told_apart(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(TicketMismatch, match="no ticket"):
        run("99999999")
    monkeypatch.setenv("KEDGE_TICKETS_LOGIN", "desk:wrong")
    with pytest.raises(TicketUnreadable):
        run(shop.ticket(shop.sell()))


def test_a_ticket_that_moved_shows_another_version(shop: Shop) -> None:
    ticket = shop.ticket(shop.sell())
    context = MemoryContext({"ticket": ticket})
    reading.read_ticket({}, context)
    assert context.seen == {f"tickets/{ticket}": reading.present_ticket("", context)}
    shop.change(ticket, cents=5_000)
    assert context.seen != {f"tickets/{ticket}": reading.present_ticket("", context)}


def test_a_refund_that_changed_after_it_was_booked_is_told_to_nobody(shop: Shop) -> None:
    ticket = shop.ticket(shop.sell())
    given = answers()

    def answer(node: str, proposal: Proposal) -> Result:
        if node == "store":
            shop.change(ticket, cents=9_000)
        return given(node, proposal)

    with pytest.raises(TicketMismatch, match="since then the ticket has changed: cents"):
        run(ticket, answer)


@pytest.mark.parametrize("kind", NOT_DONE)
def test_a_booking_that_does_not_happen_stops_the_run(shop: Shop, kind: str) -> None:
    _, walked = run(shop.ticket(shop.sell()), answers(kind))
    assert walked.nodes[-1] == "book"
    assert walked.stop == kind


@pytest.mark.parametrize("kind", NOT_DONE)
def test_whatever_becomes_of_the_rest_the_booking_stands(shop: Shop, kind: str) -> None:
    _, walked = run(shop.ticket(shop.sell()), answers(HAPPENED, kind, HAPPENED, kind))
    assert GRAPH.manifest.succeeded(walked.state)
    assert walked.state["stored"]["result"] == walked.state["mailed"]["result"] == kind
    assert [node for node, _ in walked.proposals] == ["book", "store", "answer", "mail"]


def test_an_answer_that_is_sent_back_is_written_anew_and_nothing_is_booked_again(
    shop: Shop,
) -> None:
    _, walked = run(shop.ticket(shop.sell()), answers(HAPPENED, HAPPENED, SENT_BACK))
    assert walked.nodes[-5:] == ["answer", "rewrite", "read_again", "answer", "mail"]
    first, second = proposed(walked, "answer")
    assert "note 3" in second["answer"]
    assert first["answer"] != second["answer"]
    assert len(proposed(walked, "book")) == 1


def test_a_mail_that_is_sent_back_is_not_answered_twice(shop: Shop) -> None:
    _, walked = run(shop.ticket(shop.sell()), answers(HAPPENED, HAPPENED, HAPPENED, SENT_BACK))
    assert walked.nodes[-3:] == ["mail", "rewrite", "mail"]
    assert len(proposed(walked, "answer")) == 1


def test_a_booking_that_is_sent_back_reads_the_ticket_anew(shop: Shop) -> None:
    purchase = shop.sell()
    ticket = shop.ticket(purchase)
    given = answers(SENT_BACK)

    def answer(node: str, proposal: Proposal) -> Result:
        shop.change(ticket, cents=3_000) if not context.chains.get("x") else None
        context.chains["x"] = [1]
        return given(node, proposal)

    context = MemoryContext({"ticket": ticket})
    walked = walk(GRAPH, context, answer)
    assert [it["cents"] for it in proposed(walked, "book")] == [4_000, 3_000]
    assert [it["number"] for it in proposed(walked, "book")] == [1, 1]


def test_the_careless_prompt_asks_for_the_refund_again_and_says_so(shop: Shop) -> None:
    """Nothing of the agent's stops it: that is left to the rules and to people."""
    given = answers(HAPPENED, HAPPENED, REJECTED)
    _, walked = run(shop.ticket(shop.sell()), given, variant="careless")
    assert [it["number"] for it in proposed(walked, "book")] == [1, 2, 3]
    assert walked.stop == REJECTED


@pytest.mark.parametrize(
    "loose",
    [
        {"reply": "We send you 4,000.00 EUR."},
        {"summary": f"{NAME} wants money."},
        {"reply": f"Dear {NAME}, we pay."},
        {"reply": f"Written to {MAIL}."},
    ],
)
def test_words_that_name_what_only_code_may_name_are_no_answer(loose: dict[str, str]) -> None:
    said = {"kind": "refund", "summary": "Wants money.", "reply": "We pay 40.00 EUR.", **loose}
    state = {"ticket": {"cents": 4_000, "customer": {"name": NAME, "mail": MAIL}}}
    with pytest.raises(InvalidAnswer):
        words._refuse_loose_words(said, state)


@pytest.mark.parametrize(
    "wrong", [{"ticket": "1\n"}, {"ticket": "../1"}, {"ticket": "1", "prompt": "careless"}, {}]
)
def test_an_input_that_reaches_elsewhere_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(wrong, GRAPH.manifest.input_schema)
