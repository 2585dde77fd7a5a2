"""The task type `fleet_change`: read a repository, change it file by file, push, tell."""

from importlib.metadata import version

from agents import pieces
from agents.errors import ChangeFailed, InvalidAnswer, ModelUnavailable, RepositoryUnreadable
from agents.fleet_change.building import build
from agents.fleet_change.changes import PYTHON
from agents.fleet_change.changing import change_file
from agents.fleet_change.proposing import (
    MAIL,
    MAIL_HANDLES,
    PUSH,
    PUSH_HANDLES,
    absorb_mail,
    absorb_push,
    propose_mail,
    propose_push,
)
from agents.fleet_change.reading import present_head, read_head
from agents.fleet_change.writing import write_message, write_summary
from agents.tools.git.errors import GitFailed
from checkpoints.graph import (
    END,
    Forbidden,
    Graph,
    Manifest,
    Node,
    Recheck,
    Retry,
    State,
)

TASK_TYPE = "fleet_change"
OUTPUTS = pieces.document(TASK_TYPE, "output.schemas.json")

PATIENT_READING = Retry(times=4, transient=(RepositoryUnreadable,))
PATIENT_CHANGING = Retry(times=2, transient=(RepositoryUnreadable, ChangeFailed))
PATIENT_ASKING = Retry(times=4, transient=(InvalidAnswer, ModelUnavailable, RepositoryUnreadable))
# More than the model port takes at most, so that a slow model is an error and no dead worker.
ASKING_SECONDS = 90


def succeeded(state: State) -> bool:
    """The change is on the remote, or every file was looked at and none had to change."""
    nothing_to_change = state.get("position") == state.get("total") and state.get("changed") == 0
    return "pushed" in state or nothing_to_change


MANIFEST = Manifest(
    input_schema=pieces.document(TASK_TYPE, "input.schema.json"),
    input_source="a person or the campaign that starts the run",
    data_class="personal",
    succeeded=succeeded,
    succeeded_says="The change is pushed, or no file had to change.",
    tools=(PUSH, MAIL),
    forbidden=(
        # A change rule rewrites files: it never removes one, and pays nobody.
        Forbidden(magnitude_over=("deletions", 0)),
        Forbidden(magnitude_over=("lines", 20_000)),
        Forbidden(magnitude_over=("files", 400)),
        Forbidden(magnitude_over=("recipients", 1)),
        Forbidden(magnitude_over=("amount", 0)),
    ),
    versions={"data": "1", "python": PYTHON, "ruff": version("ruff")},
)

GRAPH = Graph(
    TASK_TYPE,
    title="Fleet change",
    start="read_head",
    manifest=MANIFEST,
    state_schema=1,
    state_schemas={1: pieces.document(TASK_TYPE, "state.schema.json")},
)

GRAPH.add(
    Node(
        "read_head",
        "read",
        to=("change_file", END),
        run=read_head,
        output=OUTPUTS["read_head"],
        retry=PATIENT_READING,
        # Nothing has left the house before the push, and a push onto a branch that has moved would
        # be refused anyway: a person could only say "read it again", so the machine does.
        recheck=Recheck(current=present_head, if_moved="reread"),
    )
)
GRAPH.add(
    Node(
        "change_file",
        "compute",
        to=("change_file", "write_message", END),
        run=change_file,
        output=OUTPUTS["change_file"],
        retry=PATIENT_CHANGING,
    )
)
GRAPH.add(
    Node(
        "write_message",
        "model",
        to=("build",),
        run=write_message,
        output=OUTPUTS["write_message"],
        deadline_seconds=ASKING_SECONDS,
        retry=PATIENT_ASKING,
    )
)
GRAPH.add(
    Node(
        "build",
        "compute",
        to=("push",),
        run=build,
        output=OUTPUTS["build"],
        deadline_seconds=150,
        retry=Retry(times=4, transient=(GitFailed, TimeoutError)),
    )
)
GRAPH.add(
    Node(
        "push",
        "action",
        to=("mail", "write_message"),
        propose=propose_push,
        absorb=absorb_push,
        handles=PUSH_HANDLES,
        output=OUTPUTS["push"],
    )
)
GRAPH.add(
    Node(
        "mail",
        "action",
        to=("write_summary", END),
        propose=propose_mail,
        absorb=absorb_mail,
        handles=MAIL_HANDLES,
        output=OUTPUTS["mail"],
    )
)
GRAPH.add(
    Node(
        "write_summary",
        "model",
        to=("mail",),
        run=write_summary,
        output=OUTPUTS["write_summary"],
        deadline_seconds=ASKING_SECONDS,
        retry=PATIENT_ASKING,
    )
)
GRAPH.checked()
