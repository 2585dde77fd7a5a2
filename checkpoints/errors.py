"""What can go wrong with the record. The docstring is the sentence an operator reads."""


class RecordError(Exception):
    """The record refused a change."""


class GraphError(RecordError):
    """The graph is declared wrongly."""


class LeaseLostError(RecordError):
    """Another worker owns this run now; nothing of this worker's is written any more."""


class UnknownTaskTypeError(RecordError):
    """This installation runs no task type of that name."""


class InputRefusedError(RecordError):
    """The input does not match the schema of the task type."""


class KeyReusedError(RecordError):
    """A run with this business key exists already, with another input."""


class StoppedError(RecordError):
    """New runs are stopped here; the stop must be lifted first."""


class IllegalMoveError(RecordError):
    """The run is not in a state that allows this."""


class DamagedRecordError(RecordError):
    """What was read back is not what was committed."""


class MissingBlobError(DamagedRecordError):
    """A large value that the state names is gone."""


class UnmigratableError(RecordError):
    """No migrator can bring this state to a schema that this code reads."""


class StateRefusedError(RecordError):
    """The state a node returned cannot be kept."""
