"""What keeps a run from being started, judged inside the transaction that starts it."""

from django.conf import settings
from django.utils.module_loading import import_string

from checkpoints import stops
from checkpoints.errors import InputRefusedError
from checkpoints.models import Run
from checkpoints.registry import graph_of
from checkpoints.scopes import Under


def refuse_if_kept_out(wanted: Run) -> None:
    """Stops of new runs are kept out until it ends. Raises `StoppedError`, `InputRefusedError`.

    What the record has lost, floors above know: started again it would be done again.
    """
    stops.refuse_if_stopped("new_runs", Under.of_start(wanted, graph_of(wanted.task_type)))
    for path in settings.KEDGE_START_CHECKS:
        why = import_string(path)(wanted.tenant_id, wanted.task_type, wanted.business_key)
        if why:
            raise InputRefusedError(f"this business key cannot be started: {why}")
