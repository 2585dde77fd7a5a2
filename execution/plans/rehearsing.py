"""A migrator's rehearsal: would this code read this run's newest state? Nothing is written."""

from dataclasses import replace

from django.utils.translation import gettext as _

from checkpoints import migrators, reading
from checkpoints.errors import RecordError, UnmigratableError
from checkpoints.graph import END
from checkpoints.models import Run
from checkpoints.registry import graph_of
from execution.context import NodeContext, sealed_state, visible
from execution.work import STATE_LIMIT_BYTES
from tenants.keys import vaults
from tenants.keys.errors import KeysError


class UnreadableError(RecordError):
    """This code cannot read the run's newest state."""


def rehearse(run: Run) -> str:
    """What reading it would take, in one sentence, or `UnreadableError` saying why it cannot be.

    Reads and verifies the head, opens it, takes it through every migrator on the way and through
    the schema of the end, as a worker would, and throws the result away.
    """
    try:
        with vaults.bound(run.tenant_id) as vault:
            graph, loaded = graph_of(run.task_type), reading.load_head(run)
            following = graph.start if loaded.seq == 0 else loaded.next_node
            if following != END and following not in graph.nodes:
                raise UnmigratableError(f"this code has no node {following!r}")
            old = int(loaded.header.get("schema", graph.state_schema))
            if old == graph.state_schema:
                return _("Readable as it is: schema %(n)d.") % {"n": old}
            state = visible(vault.decrypted(loaded.state))
            migrated = migrators.migrate(graph, state, old, graph.state_schema)
            opened = replace(loaded, state=vault.decrypted(loaded.state))
            nowhere = NodeContext(run, opened, "(rehearsed)", loaded.seq + 1, {})
            sealed_state(migrated, nowhere, limit=STATE_LIMIT_BYTES)
            numbers = {"old": old, "new": graph.state_schema}
            return _("Readable: schema %(old)d becomes %(new)d.") % numbers
    except (RecordError, KeysError, ValueError) as error:
        raise UnreadableError(str(error)) from error
