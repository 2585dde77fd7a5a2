"""Notes what asking a model cost, as a fact of the run: also when its answer was lost or of no use."""

from typing import Final

from canonical.redaction import Fact
from checkpoints import events
from checkpoints.models import Run
from execution.context import NodeContext
from execution.work import WORKER
from tenants.keys import hiding

# What the event is called; `detail.tokens` is how many tokens that was, of all kinds together.
ASKED: Final = "model asked"
TOKENS: Final = "tokens"


def note(run: Run, context: NodeContext) -> None:
    """Add one event for a node that asked a model, before anything of its answer is committed.

    It stands whether the step is committed or not: what was asked has been paid. A node that says
    nothing of its cost gets none.
    """
    if not context.cost:
        return
    amounts = {name: amount for name, amount in context.cost.items() if name.endswith(TOKENS)}
    detail: dict[str, Fact] = {**amounts, TOKENS: sum(amounts.values())}
    events.append(run.id, ASKED, WORKER, **detail, node=hiding.text(context.node))
