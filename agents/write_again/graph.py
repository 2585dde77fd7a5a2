"""The task type `write_again`: a follow-up of a mail or a push, as a new action under its own approval."""

from typing import Final

from agents import letters, pieces
from agents.write_again.writing import propose_mail
from checkpoints.graph import Graph, Manifest

TASK_TYPE: Final = "write_again"

MANIFEST = Manifest(
    input_schema=pieces.document(TASK_TYPE, "input.schema.json"),
    input_source="a person who planned follow-ups",
    data_class="personal",
    succeeded=letters.succeeded,
    succeeded_says="The mail is sent.",
    tools=(letters.MAIL,),
    forbidden=letters.ONE_MAIL_ONLY,
    versions={"data": "1"},
)

GRAPH = Graph(
    TASK_TYPE,
    title="Write about an effect",
    start=letters.NODE,
    manifest=MANIFEST,
    state_schema=1,
    state_schemas={1: pieces.document(TASK_TYPE, "state.schema.json")},
)
GRAPH.add(letters.node(propose_mail))
GRAPH.checked()
