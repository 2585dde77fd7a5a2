"""The task type `revert_change`: compensation for a push, as a new action under its own approval."""

from agents import pieces
from agents.errors import RepositoryUnreadable
from agents.revert_change.reverting import (
    PUSH,
    PUSH_HANDLES,
    absorb_push,
    build,
    present_head,
    propose_push,
    read_head,
)
from agents.tools.git.errors import GitFailed
from checkpoints.graph import (
    ACTION,
    COMPUTE,
    END,
    READ,
    Forbidden,
    Graph,
    Manifest,
    Node,
    Recheck,
    Retry,
)

TASK_TYPE = "revert_change"
PATIENT_READING = Retry(times=4, transient=(RepositoryUnreadable,))

MANIFEST = Manifest(
    input_schema=pieces.document(TASK_TYPE, "input.schema.json"),
    input_source="a person who wants a pushed change taken back",
    data_class="internal",
    succeeded=lambda state: "pushed" in state,
    succeeded_says="The change is taken back on the remote.",
    tools=(PUSH,),
    forbidden=(
        Forbidden(magnitude_over=("lines", 20_000)),
        Forbidden(magnitude_over=("files", 400)),
        Forbidden(magnitude_over=("recipients", 0)),
        Forbidden(magnitude_over=("amount", 0)),
    ),
    versions={"data": "1"},
)

GRAPH = Graph(
    TASK_TYPE,
    title="Revert a change",
    start="read_head",
    manifest=MANIFEST,
    state_schema=1,
    state_schemas={1: pieces.document(TASK_TYPE, "state.schema.json")},
)
GRAPH.add(
    Node(
        "read_head",
        READ,
        to=("build",),
        run=read_head,
        retry=PATIENT_READING,
        # As long as nothing is pushed, the revert is simply built anew on the branch as it stands.
        recheck=Recheck(current=present_head, if_moved="reread"),
    )
)
GRAPH.add(
    Node(
        "build",
        COMPUTE,
        to=("push",),
        run=build,
        deadline_seconds=150,
        retry=Retry(times=4, transient=(GitFailed, TimeoutError)),
    )
)
GRAPH.add(
    Node(
        "push",
        ACTION,
        to=(END,),
        propose=propose_push,
        absorb=absorb_push,
        handles=PUSH_HANDLES,
    )
)
GRAPH.checked()
