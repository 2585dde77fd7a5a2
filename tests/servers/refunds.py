"""The service behind Restate: each refund it makes is one file. Run by hypercorn, in its own process."""

import json
import os
import uuid
from pathlib import Path
from typing import Any

import restate

refunds = restate.Service("Refunds")


@refunds.handler()
async def pay(ctx: restate.Context, order: dict[str, Any]) -> dict[str, Any]:
    """Refund once per invocation; an amount of 13 is refused."""
    if order["amount"] == 13:
        raise restate.TerminalError("13 is never paid out", status_code=422)
    number = await ctx.run_typed("refund", _refund, order=order)
    return {"refund": number, "order": order["order"]}


def _refund(order: dict[str, Any]) -> str:
    number = uuid.uuid4().hex
    folder = Path(os.environ["KEDGE_TEST_REFUNDS"])
    (folder / number).write_text(json.dumps(order), encoding="utf-8")
    return number


app = restate.app([refunds])
