"""Ways to damage the record that no rule of the database can stop, each as one function."""

from collections.abc import Callable
from typing import Any

from canonical import digests
from canonical import json as canonical
from checkpoints.models import Blob, Checkpoint, Combo, Run
from tests.checkpoints.records import by_force
from tests.people import make_tenant

RULES = (("checkpoints_blob", "blob_digest_is_of_its_content"),)

Damage = Callable[[Run, int], None]


def _column(**values: Any) -> Damage:
    return lambda run, seq: _update(run, seq, **values)


def delete_the_blob(run: Run, seq: int) -> None:
    with by_force():
        Blob.objects.filter(tenant_id=run.tenant_id).delete()


def change_the_blob(run: Run, seq: int) -> None:
    with by_force(*RULES):
        Blob.objects.filter(tenant_id=run.tenant_id).update(content=b"lArge value")


def delete_the_row(run: Run, seq: int) -> None:
    with by_force():
        Checkpoint.objects.filter(run_id=run.id, seq=seq).delete()


def change_the_state(run: Run, seq: int) -> None:
    state = bytes(_row(run, seq).state).replace(b'"at":', b'"At":')
    _update(run, seq, state=state)


def truncate_the_state(run: Run, seq: int) -> None:
    _update(run, seq, state=bytes(_row(run, seq).state)[:-3])


def change_the_header(run: Run, seq: int) -> None:
    _update(run, seq, header=bytes(_row(run, seq).header).replace(b'"done":', b'"dOne":'))


def rewrite_header_and_digest(run: Run, seq: int) -> None:
    """A header that holds together and names another node: only its column gives it away."""
    header = {**canonical.loads_object(_row(run, seq).header), "node": "act"}
    _resign(run, seq, header)


def rewrite_without_a_parent(run: Run, seq: int) -> None:
    header = canonical.loads_object(_row(run, seq).header)
    del header["parent"]
    _resign(run, seq, header)


def exchange_states(run: Run, seq: int) -> None:
    """The state of another checkpoint of the same run, with everything else as it was."""
    _update(run, seq, state=bytes(_row(run, seq - 1).state))


def replay_an_older_checkpoint(run: Run, seq: int) -> None:
    """An older checkpoint's bytes, whole and consistent, under the newer number."""
    old = _row(run, seq - 1)
    columns = ("state", "header", "digest", "node", "next_node", "parent_seq")
    _update(run, seq, **{name: getattr(old, name) for name in columns})


def change_the_parents_digest(run: Run, seq: int) -> None:
    header = {**canonical.loads_object(_row(run, seq - 1).header), "done": 99}
    _resign(run, seq - 1, header)


def give_it_to_another_tenant(run: Run, seq: int) -> None:
    with by_force():
        Run.objects.filter(pk=run.pk).update(tenant=make_tenant("thief"))


def swap_the_runs_combo(run: Run, seq: int) -> None:
    with by_force():
        Run.objects.filter(pk=run.pk).update(combo=_other_combo())


def swap_the_checkpoints_combo(run: Run, seq: int) -> None:
    _update(run, seq, combo=_other_combo())


def swap_both_combos(run: Run, seq: int) -> None:
    swap_the_checkpoints_combo(run, seq)
    with by_force():
        combo = Combo.objects.get(manifest=b"{}")
        Run.objects.filter(pk=run.pk).update(combo=combo)


STATES: dict[str, Damage] = {
    function.__name__: function
    for function in (
        delete_the_row,
        change_the_state,
        truncate_the_state,
        change_the_header,
        rewrite_header_and_digest,
        rewrite_without_a_parent,
        exchange_states,
        replay_an_older_checkpoint,
        change_the_parents_digest,
        give_it_to_another_tenant,
        swap_the_runs_combo,
        swap_the_checkpoints_combo,
        swap_both_combos,
    )
} | {
    "swap the node": _column(node="act"),
    "swap the next node": _column(next_node="act"),
    "swap the parent": _column(parent_seq=0),
    "empty the state": _column(state=b""),
    "a pickle for a state": _column(state=b"\x80\x04\x95.", header=b"{}", digest=b""),
}
BLOBS: dict[str, Damage] = {
    function.__name__: function for function in (delete_the_blob, change_the_blob)
}


def _row(run: Run, seq: int) -> Checkpoint:
    return Checkpoint.objects.get(run_id=run.id, seq=seq)


def _update(run: Run, seq: int, **values: Any) -> None:
    with by_force():
        Checkpoint.objects.filter(run_id=run.id, seq=seq).update(**values)


def _resign(run: Run, seq: int, header: dict[str, Any]) -> None:
    content = canonical.dumps(header)
    _update(run, seq, header=content, digest=bytes.fromhex(digests.sha256_hex(content)))


def _other_combo() -> Combo:
    digest = bytes.fromhex(digests.sha256_hex(b"{}"))
    return Combo.objects.create(task_type="steps", manifest=b"{}", digest=digest)
