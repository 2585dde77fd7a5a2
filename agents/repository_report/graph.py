"""The task type `repository_report`: only reads and computes, so it can do no harm."""

from agents import pieces
from agents.errors import RepositoryUnreadable
from agents.repository_report.walking import present_head, read_head, summarise, walk
from checkpoints.graph import END, Graph, Manifest, Node, Recheck, Retry

TASK_TYPE = "repository_report"
OUTPUTS = pieces.document(TASK_TYPE, "output.schemas.json")
PATIENT_READING = Retry(times=4, transient=(RepositoryUnreadable,))

MANIFEST = Manifest(
    input_schema=pieces.document(TASK_TYPE, "input.schema.json"),
    input_source="a person or a schedule that starts the run",
    data_class="internal",
    succeeded=lambda state: "summary" in state,
    succeeded_says="The report has its summary.",
    versions={"data": "1"},
)

GRAPH = Graph(
    TASK_TYPE,
    title="Repository report",
    start="read_head",
    manifest=MANIFEST,
    state_schema=1,
    state_schemas={1: pieces.document(TASK_TYPE, "state.schema.json")},
)

GRAPH.add(
    Node(
        "read_head",
        "read",
        to=("walk",),
        run=read_head,
        output=OUTPUTS["read_head"],
        retry=PATIENT_READING,
        # The report says which commit it is about, and stays true of that one.
        recheck=Recheck(current=present_head, if_moved="note"),
    )
)
GRAPH.add(
    Node(
        "walk",
        "compute",
        to=("walk", "summarise"),
        run=walk,
        output=OUTPUTS["walk"],
        retry=PATIENT_READING,
    )
)
GRAPH.add(Node("summarise", "compute", to=(END,), run=summarise, output=OUTPUTS["summarise"]))
GRAPH.checked()
