"""How a worker's turn with a run ends. None of these is a fault."""

from dataclasses import replace
from datetime import datetime

from canonical.redaction import Known, plain
from checkpoints.cases import Trouble


class Ending(Exception):
    """The worker lets go of the run."""

    sentence = ""

    def hide(self, known: Known) -> None:
        """Put marks in place of known values in what it says."""
        self.args = tuple(str(known.text(str(part))) for part in self.args)
        self.sentence = str(known.text(self.sentence))


class Suspend(Ending):
    """The run waits, as designed: `reason` from `checkpoints.states`, due again at `due_at`."""

    def __init__(self, reason: str, sentence: str, due_at: datetime | None) -> None:
        super().__init__(sentence)
        self.reason = reason
        self.sentence = sentence
        self.due_at = due_at


class TryLater(Ending):
    """A passing trouble; the node is tried again after `seconds`.

    `counts` among the node's failures, unless it is the installation's trouble and not the run's.
    """

    def __init__(self, sentence: str, seconds: float, *, counts: bool = True) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.seconds = seconds
        self.counts = counts


class Hold(Ending):
    """The run needs a person."""

    def __init__(self, trouble: Trouble) -> None:
        super().__init__(str(trouble.sentence))
        self.trouble = trouble

    def hide(self, known: Known) -> None:
        super().hide(known)
        self.trouble = replace(
            self.trouble,
            sentence=known.text(str(self.trouble.sentence)),
            facts={name: known.json(plain(it)) for name, it in self.trouble.facts.items()},
        )


class Finish(Ending):
    """The run is over."""

    def __init__(self, status: str, stop_reason: str, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status
        self.stop_reason = stop_reason
        self.sentence = sentence


class MakeRoom(Ending):
    """The run could go on, but others wait or the worker drains."""
