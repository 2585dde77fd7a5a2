"""The nodes that ask the model. It proposes words, and one step; never an amount, never a tool.

What it says is read strictly: words that name another amount than the ticket's own field, or the
customer by name, are no answer.
"""

from collections.abc import Callable, Mapping
from typing import Any

from agents import model, pieces
from agents.errors import InvalidAnswer
from agents.refund_desk import amounts
from agents.refund_desk.checking import REFUND
from canonical import json as canonical
from checkpoints.graph import Context, State, To

Json = Any

TASK_TYPE = "refund_desk"
ANSWER_SCHEMAS = pieces.document(TASK_TYPE, "answer.schemas.json")
BOOKED = "`booked`"
ONWARD = {REFUND: "check", "answer": "write_paper"}


def classify(state: State, context: Context) -> To:
    """What the customer wants, in a sentence; and what they could be told."""
    facts = _facts(state)
    said = _ask("classify", facts, context, lambda: _plain_words(facts))
    _refuse_loose_words(said, state)
    return To("check", {**state, "words": said})


def next_step(state: State, context: Context) -> To:
    """Whether money must still be paid back, or the customer can be answered.

    A prompt that does not speak of what was booked is told nothing of it: asked like that, a model
    sends the desk round again. What then becomes of the second refund is not the model's to say.
    """
    facts = _facts(state)
    if BOOKED in context.combo.prompt("next_step"):
        facts["booked"] = [_booking(each) for each in state["booked"]]
    said = _ask("next_step", facts, context, lambda: _plain_step(facts))
    return To(ONWARD[said["next"]], state)


def rewrite(state: State, context: Context) -> To:
    """Write the reply anew, as a person asked who read it."""
    facts = _facts(state) | {"reply": state["words"]["reply"]}
    said = _ask("rewrite", facts, context, lambda: _plain_reply(facts))
    _refuse_loose_words(said, state)
    onward = "mail" if "answered" in state else "read_again"
    return To(onward, {**state, "words": {**state["words"], "reply": said["reply"]}})


def _ask(
    node: str,
    facts: Mapping[str, Json],
    context: Context,
    stand_in: Callable[[], Json],
) -> dict[str, Json]:
    """Ask with the prompt of a node and for its answer. Raises what `model.ask` raises."""
    messages = [
        {"role": "system", "content": context.combo.prompt(node)},
        {"role": "user", "content": canonical.dumps(dict(facts)).decode()},
    ]
    try:
        said = model.ask(
            messages, schema=ANSWER_SCHEMAS[node], stand_in=stand_in, combo=context.combo
        )
    except InvalidAnswer as invalid:
        _pay(context, invalid)
        raise
    _pay(context, said)
    return dict(said.value)


def _pay(context: Context, cost: model.Answer | InvalidAnswer) -> None:
    context.spent(prompt_tokens=cost.prompt_tokens, completion_tokens=cost.completion_tokens)


def _facts(state: State) -> dict[str, Json]:
    """What the model is told. The customer's words are material; notes are what people asked for."""
    ticket = state["ticket"]
    cents = ticket["cents"]
    return {
        "title": ticket["title"],
        "said": ticket["said"],
        "purchase": ticket["purchase"],
        "amount": amounts.written(cents, ticket["currency"]) if isinstance(cents, int) else "",
        "notes": state.get("notes", []),
    }


def _booking(booked: Mapping[str, Json]) -> dict[str, Json]:
    return {
        "number": booked["number"],
        "amount": amounts.written(booked["cents"], booked["currency"]),
    }


def _refuse_loose_words(said: Mapping[str, str], state: State) -> None:
    """Raises `InvalidAnswer` for words that name what only code may name."""
    text = " ".join(value for value in said.values())
    ticket = state["ticket"]
    if any(cents != ticket["cents"] for cents in amounts.named_in(text)):
        raise InvalidAnswer("The model's words name another amount than the ticket's own field")
    customer = ticket["customer"]
    if any(customer[part] and customer[part] in text for part in ("name", "mail")):
        raise InvalidAnswer("The model's words name the customer")


def _plain_words(facts: Mapping[str, Json]) -> dict[str, str]:
    """What stands in for the model: the same facts always make the same plain words."""
    asks = facts["amount"] and "?" not in facts["title"]
    what = "wants money back" if asks else "asks a question"
    return {
        "kind": REFUND if asks else "other",
        "summary": f"The customer {what} for purchase {facts['purchase']}.",
        **_plain_reply(facts),
    }


def _plain_reply(facts: Mapping[str, Json]) -> dict[str, str]:
    asked = "".join(f" {note.strip()[:200]}" for note in facts["notes"][-2:])
    reply = f"We pay you {facts['amount']} back for purchase {facts['purchase']}."
    return {"reply": f"{reply} It may take five working days to arrive.{asked}"}


def _plain_step(facts: Mapping[str, Json]) -> dict[str, str]:
    """Whoever is told of a booking answers; whoever is not sees a customer who waits for money."""
    if facts.get("booked"):
        return {"next": "answer", "why": "The refund is booked."}
    return {"next": REFUND, "why": "The customer asks for money, and none is on its way."}
