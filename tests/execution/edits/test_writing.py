"""What a person types becomes a state as a node would leave it, or is refused with what is wrong."""

import json
from typing import Any

import pytest

from canonical import json as canonical
from canonical import redaction
from checkpoints import blobs, reading
from checkpoints.graph import COMPUTE, Context, State, To
from checkpoints.models import Case, Checkpoint
from execution.edits import writing
from execution.edits.errors import EditRefusedError
from execution.edits.writing import Draft, Written
from execution.work import STATE_LIMIT_BYTES
from tenants.keys import vaults
from tests.engine.turns import Bench
from tests.execution.edits.desks import LEFT, Desk, crashed, eve_who_writes
from tests.execution.graphs import graph, install
from tests.execution.runs import full
from tests.reconciliation.deskwork import guards_off

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def desk(engine: Bench, monkeypatch: pytest.MonkeyPatch) -> Desk:
    return crashed(engine, monkeypatch)


def draft(desk: Desk, text: str, **fields: Any) -> Draft:
    run = full(desk.run)
    with vaults.bound(run.tenant_id):
        base = writing.base_of(run, desk.graph, run.head)
        return writing.drafted(base, Written(run.head, text, **fields))


def shown(desk: Desk) -> dict[str, Any]:
    run = full(desk.run)
    found: dict[str, Any] = json.loads(writing.base_of(run, desk.graph, run.head).text)
    return found


def refused(desk: Desk, state: Any, says: str) -> None:
    text = state if isinstance(state, str) else json.dumps(state)
    with pytest.raises(EditRefusedError, match=says):
        draft(desk, text)


def opened(desk: Desk, found: Draft) -> State:
    return vaults.Vault(desk.run.tenant_id).decrypted(canonical.loads(found.content))  # type: ignore[no-any-return]


def test_marks_keep_what_they_stand_for_and_lists_stay(desk: Desk) -> None:
    found = draft(desk, json.dumps({**shown(desk), "amount": 7}, indent=8))
    before = reading.load_head(full(desk.run)).state
    after = canonical.loads_object(found.content)
    assert after == {**before, "amount": 7}
    assert canonical.dumps(after) == found.content
    assert opened(desk, found)["token"] == LEFT["token"]


def test_a_new_value_for_what_is_marked_is_encrypted_and_so_are_its_copies(desk: Desk) -> None:
    typed = {
        **shown(desk),
        "token": "tok-secret-2",
        "note": "was tok-secret-1",
        "now": "tok-secret-2",
    }
    found = draft(desk, json.dumps(typed))
    for secret in (b"tok-secret-1", b"tok-secret-2"):
        assert secret not in found.content
        assert secret not in found.diff
    assert opened(desk, found)["token"] == "tok-secret-2"


def test_a_mark_is_never_a_value(desk: Desk) -> None:
    state = shown(desk)
    mark = state["token"]
    assert mark.startswith("«secret ")
    refused(desk, {**state, "note": mark}, "did not stand there")
    another = mark[:-2] + ("1" if mark[-2] == "0" else "0") + "»"
    refused(desk, {**state, "token": another}, "did not stand there")
    refused(desk, {**state, "token": f"x {mark}"}, "did not stand there")
    refused(desk, {**state, mark: 1}, "is a mark, not a name")
    refused(desk, {**state, "people": [{"mail": mark}]}, "did not stand there")
    envelope = reading.load_head(full(desk.run)).state["token"]
    refused(desk, {**state, "note": envelope}, "belongs to the engine")


def test_a_mark_moves_along_with_its_item(engine: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    people = [{"mail": "first@b.example"}, {"mail": "second@b.example"}]
    desk = crashed(engine, monkeypatch, {**LEFT, "people": people})
    state = shown(desk)
    found = draft(desk, json.dumps({**state, "people": state["people"][1:]}))
    assert opened(desk, found)["people"] == people[1:]


def test_an_erased_value_has_to_go(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    inner = redaction.opened(reading.load_head(full(desk.run)).state["token"])
    assert inner is not None
    erased = frozenset({inner["key"]})
    monkeypatch.setattr("execution.edits.marks.datakeys.erased_of", lambda _: erased)
    monkeypatch.setattr("tenants.keys.seeing.datakeys.erased_of", lambda _: erased)
    state = shown(desk)
    assert state["token"].startswith("«erased ")
    refused(desk, {**state, "amount": 7}, "was erased")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"amount": 1e400}', "not strict JSON"),
        ('{"amount": 1} x', "not strict JSON"),
        ('{"amount": 12345678901234567890}', "not strict JSON"),
        ('"amount"', "a JSON object"),
        ('{"amount": 1.5}', "at /amount"),
        ('{"amount": 7, "$chains": {}}', "belong to the engine"),
    ],
)
def test_the_door_is_as_narrow_as_for_a_node(desk: Desk, text: str, says: str) -> None:
    refused(desk, text, says)


def test_a_refusal_quotes_nothing_that_is_marked(desk: Desk) -> None:
    with pytest.raises(EditRefusedError) as refusal:
        draft(desk, json.dumps({**shown(desk), "token": {"a": "very-secret-thing"}, "amount": "x"}))
    assert "very-secret-thing" not in str(refusal.value)


def test_the_limit_of_a_state_holds(desk: Desk) -> None:
    refused(desk, {**shown(desk), "note": "x" * STATE_LIMIT_BYTES}, "over the limit")


def test_what_differs_in_nothing_is_not_proposed(desk: Desk) -> None:
    refused(desk, shown(desk), "nothing differs")


def test_only_large_values_of_the_run_itself_are_named(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def keeps(_: State, context: Context) -> To:
        return To("second", {"amount": -1, "large": context.put(b"of this run")})

    made = graph()
    made.node("first", COMPUTE, to=["second"])(keeps)
    made.node("second", COMPUTE, to=["end"])(lambda *_: 1 / 0)  # type: ignore[arg-type]
    install(monkeypatch, made)
    run = engine.start("odd")
    engine.turn()
    desk = Desk(engine, made, full(run), Case.objects.get(run=run), eve_who_writes(engine))
    strange = blobs.put(engine.tenant.pk, b"of another run")
    state = shown(desk)
    refused(desk, {**state, "large": strange}, "does not have")
    refused(desk, {**state, "large": {**state["large"], "size": 1}}, "does not have")
    refused(desk, {**state, "large": {"$blob": "zz", "size": 1}}, "no digest")
    assert b'"$blob"' in draft(desk, json.dumps({**state, "amount": 7})).content


def test_what_cannot_be_read_back_is_no_base(desk: Desk) -> None:
    run = full(desk.run)
    with pytest.raises(EditRefusedError, match="checkpoints up to 1"):
        writing.base_of(run, desk.graph, 2)
    with guards_off():
        Checkpoint.objects.filter(run_id=run.pk, seq=1).update(state=b'{"amount":0}')
    with pytest.raises(EditRefusedError, match="not intact"):
        writing.base_of(run, desk.graph, 1)
