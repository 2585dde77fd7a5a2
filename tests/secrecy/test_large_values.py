"""Large values and list items: nothing sensitive gets past the encryption of fields through them."""

import pytest

from checkpoints import reading
from checkpoints.models import Blob, Case, Checkpoint, Run
from tests.engine.turns import Bench
from tests.secrecy.registry import DERIVED, GIVEN
from tests.secrecy.sinks import leaking, leaks

pytestmark = pytest.mark.django_db(transaction=True)


def begun(bench: Bench, then: str) -> Run:
    """A careless run after its first turn."""
    run = bench.start("careless", **GIVEN, then=then)
    bench.turn()
    run.refresh_from_db()
    return run


@pytest.mark.parametrize("then", ["put", "put late"])
def test_a_large_value_with_a_secret_is_refused_and_stored_nowhere(
    careless: Bench, then: str
) -> None:
    """Also one that is known to be secret only when the step is over, after the value was made."""
    run = begun(careless, then)
    case = Case.objects.get(run=run)
    assert (run.status, run.head, case.kind) == ("held", 0, "invalid_output")
    assert "that /state/file names" in case.sentence
    assert not Blob.objects.exists()
    assert leaking() == []


def test_a_marked_field_cannot_be_a_large_value(careless: Bench) -> None:
    """Nothing else gives it away; only its name would have been encrypted."""
    run = begun(careless, "mark late")
    case = Case.objects.get(run=run)
    assert (run.head, case.kind) == (0, "invalid_output")
    assert "/token is marked sensitive and is a large value" in case.sentence
    assert not Blob.objects.exists()


def test_a_list_item_is_encrypted_when_its_secret_is_known_only_later(careless: Bench) -> None:
    run = begun(careless, "append late")
    kept = bytes(Checkpoint.objects.get(run=run, seq=1).appended or b"")
    assert b"$encrypted" in kept
    assert leaks(kept) == []
    assert leaking() == []
    assert reading.verify_run(run) == []
    loaded = reading.load(run, 1)
    assert loaded.state["$chains"]["seen"]["length"] == 2
    assert DERIVED not in str(reading.chain_items(run, loaded, "seen"))


def test_a_large_value_without_a_secret_is_stored(careless: Bench) -> None:
    run = careless.start("careless", **{**GIVEN, "password": ""}, then="put")
    careless.turn()
    run.refresh_from_db()
    assert run.head > 0
    assert bytes(Blob.objects.get().content) == b"a file with "
