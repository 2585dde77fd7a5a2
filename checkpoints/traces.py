"""Where a turn says what it is doing, for traces; by itself nobody listens.

`port` is one object with a method for each kind of span. This one does nothing: what traces for real
is set by the installation (`config.traces`), in worker processes only. A span is told names, ids and
numbers, never a text or a value that came from a person, a tool, a model or a state.
"""

from types import TracebackType
from urllib.parse import SplitResult
from uuid import UUID

from canonical.redaction import Fact
from checkpoints.commits import Lease
from checkpoints.graph import Node
from checkpoints.models import Run


class Span:
    """What goes on between `with` and its end. Here nobody listens."""

    def __enter__(self) -> "Span":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """It is over, and what was raised goes on."""

    def say(self, name: str, value: Fact) -> None:
        """Note an attribute: what is redacted, an id or a number."""


QUIET = Span()


class Port:
    """Each kind of span. Whatever goes wrong in here is no trouble of the run: nothing is raised."""

    def turn(self, lease: Lease, run: Run) -> Span:  # noqa: ARG002 - a shape to fill
        """One lease of a run, from taking it up to letting go."""
        return QUIET

    def ended(self, run: Run, how: object) -> None:
        """The turn let go of the run; `how` is an `execution.errors.Ending`."""

    def node(self, node: Node) -> Span:  # noqa: ARG002 - a shape to fill
        """What an action node does in one go: propose, ask, send, find out or absorb."""
        return QUIET

    def code(self, node: Node) -> Span:  # noqa: ARG002 - a shape to fill
        """A call of an author's function."""
        return QUIET

    def attempt(self, action_id: UUID, tool: str, number: int) -> Span:  # noqa: ARG002 - as above
        """One call of a tool that may change something outside."""
        return QUIET

    def finding_out(self, action_id: UUID, tool: str) -> Span:  # noqa: ARG002 - a shape to fill
        """What became of an attempt is found out."""
        return QUIET

    def model(self, name: str, url: SplitResult | None) -> Span:  # noqa: ARG002 - a shape to fill
        """One question to a model; None: the stand-in in this process."""
        return QUIET

    def end(self) -> None:
        """This process takes no more turns: what is not sent yet is sent now, within a second."""


port = Port()


def use(listening: Port) -> None:
    """From here on this port is told."""
    global port  # noqa: PLW0603 - chosen once, before any worker forks
    port = listening
