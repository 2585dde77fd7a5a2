"""What a horse sends its spans with: ids of our own making, a bounded queue, a thread of its own."""

import os
import threading
from collections.abc import Sequence
from typing import Final
from uuid import UUID

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
from opentelemetry.sdk.trace.sampling import Decision
from opentelemetry.trace import NonRecordingSpan, SpanContext
from opentelemetry.trace.span import TraceFlags

from config.traces.otel.telling import span_id_of

# What a killed worker had done is seen that soon before; OTEL_BSP_SCHEDULE_DELAY says otherwise.
SEND_EVERY_MS: Final = 1_000


class Ids(RandomIdGenerator):
    """Random ids, but for spans whose id follows from what they are."""

    def __init__(self) -> None:
        self._given = threading.local()

    def give(self, trace_id: int, span_id: int) -> None:
        """The next span of this thread has this id, and begins this trace if it has no parent."""
        self._given.ids = (trace_id, span_id)

    def generate_trace_id(self) -> int:
        """The id of the trace that a span without a parent begins."""
        given: tuple[int, int] | None = getattr(self._given, "ids", None)
        return given[0] if given else super().generate_trace_id()

    def generate_span_id(self) -> int:
        """The id of a span, which is given away once."""
        given: tuple[int, int] | None = getattr(self._given, "ids", None)
        self._given.ids = None
        return given[1] if given else super().generate_span_id()


class _Watched(SpanExporter):
    """Sends, and remembers whether the last sending came through."""

    def __init__(self) -> None:
        self._to = OTLPSpanExporter()
        self.failed = False

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """As the exporter does; it is asked from the processor's own thread."""
        self.failed = True
        result = self._to.export(spans)
        self.failed = result is not SpanExportResult.SUCCESS
        return result

    def shutdown(self) -> None:
        """Let go of the connection."""
        self._to.shutdown()  # type: ignore[no-untyped-call]


class Mine:
    """What this process traces with."""

    def __init__(self) -> None:
        self.pid = os.getpid()
        self.ids, self.exporter = Ids(), _Watched()
        named = "OTEL_SERVICE_NAME" in os.environ
        self.provider = TracerProvider(
            resource=Resource.create({} if named else {"service.name": "kedge"}),
            id_generator=self.ids,
            shutdown_on_exit=False,  # a horse ends without it, and nobody may wait there
        )
        own = "OTEL_BSP_SCHEDULE_DELAY" in os.environ
        delay = None if own else SEND_EVERY_MS
        self.provider.add_span_processor(
            BatchSpanProcessor(self.exporter, schedule_delay_millis=delay)
        )
        self.tracer = self.provider.get_tracer("kedge")

    def under_run(self, run_id: UUID) -> Context:
        """The context of a run's trace, sampled or not as all its workers decide alike."""
        sampler, trace_id = self.provider.sampler, run_id.int
        chosen = sampler.should_sample(Context(), trace_id, "run").decision
        sampled = chosen is Decision.RECORD_AND_SAMPLE
        flags = TraceFlags(TraceFlags.SAMPLED if sampled else TraceFlags.DEFAULT)
        root = SpanContext(trace_id, span_id_of(run_id), is_remote=True, trace_flags=flags)
        return trace.set_span_in_context(NonRecordingSpan(root), Context())
