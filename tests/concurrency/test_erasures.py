"""A turn under way has an erased key in memory, and nothing it does with it is taken any more."""

from functools import partial

import pytest
from pytest_django import Settings

from checkpoints import erasures, leases, registry
from checkpoints.errors import LeaseLostError
from checkpoints.models import Recovery, Run
from reconciliation.errors import NotDispatchedError
from reconciliation.models import Action, Attempt
from tenants.actors import Actor
from tenants.keys import vaults
from tenants.keys.errors import ErasedError, KeysError
from tenants.keys.models import DataKey
from tests.approvals.racing import beside, run_locked
from tests.checkpoints.records import commit
from tests.engine.turns import Bench
from tests.reconciliation.ready import Ready
from tests.secrecy.registry import GIVEN, MAIL, PERSON, sent

pytestmark = pytest.mark.django_db(transaction=True)
SHELL = Actor.machine("test")


@pytest.fixture
def careless(engine: Bench, settings: Settings) -> Bench:
    settings.KEDGE_AGENTS = "tests.secrecy.registry"
    registry.agents.cache_clear()
    return engine


@pytest.fixture
def it(careless: Bench) -> Ready:
    """A yes is given, and a worker has begun the turn that would send."""
    run = careless.start("careless", **GIVEN)
    careless.turn()
    careless.decide(run)
    return Ready(careless.acquire(), Action.objects.select_related("run", "tenant").get(run=run))


def erase(bench: Bench) -> erasures.Erased:
    return erasures.erase(bench.tenant, PERSON, actor=SHELL, reason="asked for it")


def opened(bench: Bench, vault: vaults.Vault) -> str:
    content = bytes(Run.objects.get().input)
    return vault.decrypted_bytes(content).decode()


def test_a_turn_that_has_the_key_open_commits_nothing_more(careless: Bench) -> None:
    careless.start("careless", **GIVEN)
    lease = careless.acquire()
    with beside() as side, vaults.bound(careless.tenant.pk) as vault:
        assert MAIL in opened(careless, vault)
        assert side.finish(partial(erase, careless)).turns == 1
        assert MAIL in opened(careless, vault)  # in memory it is still there
        with pytest.raises(LeaseLostError):
            commit(lease)
    assert Run.objects.get().head == 0


def test_a_turn_that_has_the_key_open_sends_nothing_more(careless: Bench, it: Ready) -> None:
    with vaults.bound(careless.tenant.pk):
        seen = it.hash()
        with beside() as side:
            side.finish(partial(erase, careless))
        with pytest.raises(NotDispatchedError):
            it.dispatch(seen)
    assert (sent(), Attempt.objects.count()) == ([], 0)


def test_an_intent_that_waits_behind_the_erasure_is_refused(careless: Bench, it: Ready) -> None:
    with vaults.bound(careless.tenant.pk):
        seen = it.hash()
    with beside() as side:
        with run_locked(it.run.id):
            erasing = side.start_and_block(partial(erase, careless))
            sending = side.start_and_block(partial(it.dispatch, seen), blocked=2)
        assert erasing.result().turns == 1
        with pytest.raises(NotDispatchedError):
            sending.result()
    assert not Attempt.objects.exists()


def test_the_key_is_gone_for_all_before_any_lease_is_taken(careless: Bench) -> None:
    """So a turn that begins while leases are taken cannot open it either."""
    careless.start("careless", **GIVEN)
    lease = careless.acquire()
    with beside() as side:
        with run_locked(lease.run_id):
            erasing = side.start_and_block(partial(erase, careless))
            assert side.finish(DataKey.objects.filter(erased_at__isnull=False).count) == 1
        erasing.result()
    with pytest.raises(ErasedError):
        opened(careless, vaults.Vault(careless.tenant.pk))


def test_the_run_is_held_by_the_turn_after_it_and_its_recovery_says_why(careless: Bench) -> None:
    run = careless.start("careless", **GIVEN)
    careless.acquire()
    erase(careless)
    assert Recovery.objects.get().why == erasures.WHY
    careless.turn()
    run.refresh_from_db()
    assert (run.status, run.reason) == ("held", "missing_blob")


def test_an_erasure_that_was_interrupted_ends_turns_when_it_is_repeated(careless: Bench) -> None:
    careless.start("careless", **GIVEN)
    erase(careless)
    lease = careless.acquire()
    with pytest.raises(KeysError, match="is encrypted for this person"):
        erase(careless)
    assert leases.renew(lease) is None


def test_nobody_is_interrupted_for_a_person_who_is_not_known(careless: Bench) -> None:
    careless.start("careless", **GIVEN)
    lease = careless.acquire()
    with pytest.raises(KeysError):
        erasures.erase(careless.tenant, "customer-8", actor=SHELL, reason="asked for it")
    assert leases.renew(lease) is not None
