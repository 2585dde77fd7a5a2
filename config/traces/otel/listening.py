"""Listens to the turns of a horse and traces them.

A run is one trace: its trace id is the run id, so workers that never meet write the same trace. A
span of a lease has an id made of run and fence, so what a killed worker had sent still hangs on it.
Everything is made in the horse, after the fork; the parent only keeps, for all its horses, until
when the collector is taken to be down.
"""

import logging
import mmap
import os
import struct
import threading
import time
from contextlib import suppress
from types import TracebackType
from typing import Final
from urllib.parse import SplitResult
from uuid import UUID

from opentelemetry import context as contexts
from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.trace import Link, SpanContext, SpanKind
from opentelemetry.trace.span import Span as OtelSpan

from canonical.redaction import Fact
from checkpoints import states, traces
from checkpoints.commits import Lease
from checkpoints.graph import ACTION, Node
from checkpoints.models import Run
from config.traces import recovering
from config.traces.otel.sending import Mine
from config.traces.otel.telling import (
    Attributes,
    about,
    failed,
    how_words,
    nanoseconds,
    span_id_of,
    told,
)
from config.traces.recovering import Interrupted
from execution.errors import Ending, Finish, Hold
from tenants.keys import hiding

log = logging.getLogger(__name__)

# So long the end of a horse waits for what is still to be sent, and so long no horse even tries
# after that was not enough.
FLUSH_SECONDS: Final = 1.0
DOWN_SECONDS: Final = 60.0


class _Listening(traces.Span):
    """A span that is sent when it ends, with what was said and the class of what was raised."""

    def __init__(self, span: OtelSpan) -> None:
        self._span = span

    def __enter__(self) -> "_Listening":
        self._token = contexts.attach(trace.set_span_in_context(self._span))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with suppress(Exception):
            if error is not None and not isinstance(error, Ending):
                failed(self._span, type(error).__name__)
            contexts.detach(self._token)
            self._span.end()

    def say(self, name: str, value: Fact) -> None:
        self._span.set_attribute(name, value if isinstance(value, int) else str(value))


class Tracing(traces.Port):
    """Listens in a horse. Made before it is forked; holds nothing that may not be inherited."""

    def __init__(self) -> None:
        self._mine: Mine | None = None
        # Shared by all processes that are forked from this one: a horse tells the next.
        self._down_until = mmap.mmap(-1, 8)

    def turn(self, lease: Lease, run: Run) -> traces.Span:
        """A span with an id of its own making, linked to the leases that were interrupted."""
        try:
            return self._turn(lease, run)
        except Exception:
            log.exception("a turn is not traced")
            return traces.QUIET

    def ended(self, run: Run, how: object) -> None:
        """Say on the turn how it ended; the end of a run is also the end of its trace."""
        try:
            self._ended(run, how)
        except Exception:
            log.exception("the end of a turn is not traced")

    def node(self, node: Node) -> traces.Span:
        return self._child(f"node {node.name}", _about_node(node))

    def code(self, node: Node) -> traces.Span:
        what = "code" if node.kind == ACTION else "node"
        return self._child(f"{what} {node.name}", _about_node(node))

    def attempt(self, action_id: UUID, tool: str, number: int) -> traces.Span:
        call: Attributes = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": tool,
            "gen_ai.tool.call.id": str(action_id),
            "kedge.action.id": str(action_id),
            "kedge.attempt": number,
        }
        return self._child(f"execute_tool {tool}", call, SpanKind.CLIENT)

    def finding_out(self, action_id: UUID, tool: str) -> traces.Span:
        look = {"kedge.action.id": str(action_id), "gen_ai.tool.name": tool}
        return self._child(f"find out {tool}", look, SpanKind.CLIENT)

    def model(self, name: str, url: SplitResult | None) -> traces.Span:
        question: dict[str, str | int] = {
            "gen_ai.operation.name": "chat",
            # The protocol that is spoken; who is behind it, the address says.
            "gen_ai.provider.name": "openai" if url else name,
            "gen_ai.request.model": name,
            "gen_ai.output.type": "json",
        }
        if url is not None and url.hostname:
            question["server.address"] = url.hostname
            question["server.port"] = url.port or (443 if url.scheme == "https" else 80)
        return self._child(f"chat {name}", question, SpanKind.CLIENT if url else SpanKind.INTERNAL)

    def end(self) -> None:
        """Send the rest, if the collector answers; a thread that still tries ends with the process."""
        mine, self._mine = self._mine, None
        if mine is None or mine.pid != os.getpid() or self._is_down():
            return
        sending = threading.Thread(target=mine.provider.shutdown, daemon=True)
        sending.start()
        sending.join(FLUSH_SECONDS)
        if sending.is_alive() or mine.exporter.failed:
            self._down_until[:] = struct.pack("d", time.monotonic() + DOWN_SECONDS)

    def _is_down(self) -> bool:
        (until,) = struct.unpack("d", self._down_until[:])
        return bool(time.monotonic() < until)

    def _own(self) -> Mine:
        if self._mine is None or self._mine.pid != os.getpid():
            self._mine = Mine()
        return self._mine

    def _turn(self, lease: Lease, run: Run) -> traces.Span:
        mine = self._own()
        parent = mine.under_run(run.id)
        lost = recovering.just_before(lease) if lease.owes_proof else None
        links = [Link(_tell(mine, parent, run, lost))] if lost else []
        mine.ids.give(run.id.int, span_id_of(run.id, lease.fence))
        turn = {**about(run), "kedge.fence": lease.fence, "kedge.attempts": lease.attempts}
        span = mine.tracer.start_span(
            f"turn {run.task_type}", context=parent, links=links, attributes=told(turn)
        )
        return _Listening(span)

    def _child(
        self, name: str, about_it: Attributes, kind: SpanKind = SpanKind.INTERNAL
    ) -> traces.Span:
        """A span under the one that goes on; outside of a turn nothing is traced."""
        mine = self._mine
        if mine is None or not trace.get_current_span().is_recording():
            return traces.QUIET
        span = mine.tracer.start_span(str(hiding.text(name)), kind=kind, attributes=told(about_it))
        return _Listening(span)

    def _ended(self, run: Run, how: object) -> None:
        mine, turn = self._mine, trace.get_current_span()
        if mine is None or not turn.is_recording():
            return
        turn.set_attribute("kedge.ended", how_words(how))
        if isinstance(how, Hold):
            failed(turn, how.trouble.kind)
        if isinstance(how, Finish):
            _tell_whole(mine, run, how)


def _about_node(node: Node) -> Attributes:
    return {"kedge.node": node.name, "kedge.kind": node.kind}


def _tell(mine: Mine, parent: Context, run: Run, lost: Interrupted) -> SpanContext:
    """The span of a lease whose worker died with it."""
    mine.ids.give(run.id.int, span_id_of(run.id, lost.fence))
    span = mine.tracer.start_span(
        f"turn {run.task_type}",
        context=parent,
        attributes=told({**about(run), "kedge.fence": lost.fence, "kedge.ended": "interrupted"}),
        start_time=nanoseconds(lost.since),
    )
    failed(span, "interrupted")
    span.end(nanoseconds(lost.until))
    return span.get_span_context()


def _tell_whole(mine: Mine, run: Run, how: Finish) -> None:
    """The span that all turns hang on, from the start of the run to its end."""
    mine.ids.give(run.id.int, span_id_of(run.id))
    whole = mine.tracer.start_span(
        f"run {run.task_type}",
        context=Context(),
        attributes=told({**about(run), "kedge.ended": how_words(how)}),
        start_time=nanoseconds(run.created_at),
    )
    if how.status == states.FAILED:
        failed(whole, how.stop_reason)
    whole.end()
