"""Compute, model and read nodes: run the author's function, check what it returns, commit."""

import math
import random
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jsonschema
from django.conf import settings
from django.db import Error as DatabaseFault

from checkpoints import schemas, states, traces, versions
from checkpoints.cases import Trouble
from checkpoints.commits import Made
from checkpoints.errors import RecordError, StateRefusedError
from checkpoints.graph import COMPUTE, MODEL, Node, To
from checkpoints.migrators import check_schema
from checkpoints.models import Run
from checkpoints.timers import boot_seconds
from execution import costs
from execution.context import NodeContext, handed
from execution.errors import Hold, TryLater
from execution.work import NOTHING, Work
from tenants.keys import hiding
from tenants.keys.errors import KeysError

NODE_DEADLINE = "node deadline"
# A node that took longer does not run ahead: nothing would be gained, and who asked to cancel
# meanwhile would wait for it.
QUICK_SECONDS = 0.02


@dataclass(frozen=True)
class Ran:
    """What came of an author's function: what it returned, or what it raised."""

    returned: Any = None
    raised: Exception | None = None


def run_node(work: Work) -> None:
    """Run the next node from the committed state and commit where it goes; then those that run ahead.

    What it raised when it ran ahead counts now that the bytes it started from stand, as if it had
    run now.
    """
    ran, work.ahead = work.ahead or _run(work), None
    work.commit_stretch(_judged(work, work.node, ran), ahead=_run_ahead)


def guarded(work: Work, node: Node, call: Callable[[], Any]) -> Any:
    """Call an author's function under the node's deadline; whatever it raises is handled here.

    A declared transient error is tried again later; any other, and the last of them, needs a
    person. Engine errors and database errors pass.
    """
    return _judged(work, node, _called(work, node, call))


def _run_ahead(work: Work) -> Made | None:
    """Run the next node while PostgreSQL still commits what it starts from, if it only computes.

    What came of it is thrown away with `work` should that be refused: nothing else has happened.
    """
    if work.at_end or work.node.kind != COMPUTE:
        return None
    if work.took.get(work.node.name, math.inf) > QUICK_SECONDS:
        return None
    ran = _run(work)
    if ran.raised is not None:
        work.ahead = ran
        return None
    made: Made = ran.returned
    return made


def _run(work: Work) -> Ran:
    node, context = work.node, work.context()
    function = node.run
    if function is None:
        raise RuntimeError(f"{node.name} is an action node")

    def made() -> Any:
        to = function(handed(work.loaded.state), context)
        return work.made(checked_step(work, node, context, to))

    ran = _called(work, node, made)
    if node.kind == MODEL:
        costs.note(work.run, context)
    return ran


def _called(work: Work, node: Node, call: Callable[[], Any]) -> Ran:
    began = boot_seconds()
    work.self_stop.limit(NODE_DEADLINE, began + deadline_seconds(work, node))
    try:
        with traces.port.code(node):
            return Ran(returned=call())
    except Exception as error:
        return Ran(raised=error)
    finally:
        work.self_stop.lift(NODE_DEADLINE)
        work.took[node.name] = max(work.took.get(node.name, 0.0), boot_seconds() - began)


def _judged(work: Work, node: Node, ran: Ran) -> Any:
    error = ran.raised
    if error is None:
        return ran.returned
    if isinstance(error, StateRefusedError):
        raise Hold(_invalid(node, str(error))) from error
    if isinstance(error, RecordError | Hold | KeysError | DatabaseFault):
        raise error
    if isinstance(error, node.retry.transient):
        raise _transient(work, node, error) from error
    raise Hold(_raised(node, error)) from error


def checked_step(work: Work, node: Node, context: NodeContext, to: object, **more: Any) -> Any:
    """The step of what a node returned, or a hold that says what is wrong with it."""
    if not isinstance(to, To):
        raise Hold(_invalid(node, f"it returned a {type(to).__name__}, not a To"))
    if to.node not in node.to:
        raise Hold(_invalid(node, f"it goes to {to.node!r}; declared are {', '.join(node.to)}"))
    try:
        step = work.step(context, to.state, to.node, **more)
        check_schema(work.graph, to.state, work.graph.state_schema)
        if node.output is not None:
            schemas.check(to.state, node.output)
    except StateRefusedError as error:
        raise Hold(_invalid(node, str(error))) from error
    except jsonschema.ValidationError as error:
        where = "/" + "/".join(str(part) for part in error.absolute_path)
        raise Hold(_invalid(node, f"the state does not fit at {where}: {error.message}")) from error
    return step


def deadline_seconds(work: Work, node: Node) -> float:
    """How long a node may take: as its combo says, its own deadline, the task's, the practice's."""
    said = versions.of(work.run.combo).settings.get("deadline_seconds", NOTHING).get(node.name)
    own = said or node.deadline_seconds or work.graph.manifest.timeout_seconds
    return own or float(settings.PRACTICE["timeout_seconds"])


def _transient(work: Work, node: Node, error: Exception) -> Exception:
    failures = Run.objects.values_list("node_failures", flat=True).get(id=work.run.id)
    said = f"{type(error).__name__}: {error}"
    if failures >= node.retry.times:
        return Hold(_raised(node, error, after=failures + 1))
    wait = min(node.retry.first_wait_seconds * 2**failures, node.retry.longest_wait_seconds)
    # Jitter: a hundred runs that failed together do not come back together.
    wait *= 0.5 + random.random() / 2  # noqa: S311 - spreads load, decides nothing
    sentence = f"{node.name} met a passing trouble ({said}); tried again by itself."
    return TryLater(sentence, wait)


def _raised(node: Node, error: Exception, *, after: int = 1) -> Trouble:
    said = f"{type(error).__name__}: {error}"
    times = "" if after == 1 else f" {after} times"
    facts = {
        "error": hiding.text(said).first(500),
        "node": hiding.text(node.name),
        "trace": hiding.text("".join(traceback.format_exception(error))).last(4000),
    }
    sentence = hiding.text(f"The node {node.name} failed{times}: {hiding.text(said).first(300)}")
    return Trouble(states.CRASH_LOOP, sentence, facts)


def _invalid(node: Node, said: str) -> Trouble:
    sentence = f"The node {node.name} left something that cannot be kept: {said}"
    facts = {"error": hiding.text(said).first(500), "node": hiding.text(node.name)}
    return Trouble(states.INVALID_OUTPUT, hiding.text(sentence).first(1000), facts)
