"""Lifting a stop in tests: Ada proposes, Eve confirms, both with the right wherever it takes."""

from checkpoints import liftings
from checkpoints.models import Lifting, Stop
from tenants import clock
from tenants.actors import Actor, Proof
from tenants.models import Tenant, User
from tests.people import ada, eve


def operators(stop: Stop) -> tuple[User, User]:
    """Ada and Eve, permitted at the stop's tenant, or at every tenant there is."""
    tenants = [stop.tenant] if stop.tenant else list(Tenant.objects.all())
    return ada(*tenants), eve(*tenants)


def proved(user: User) -> Actor:
    """A person who has just shown that it is them."""
    return Actor.person(user, Proof("password", clock.now()))


def proposed(stop: Stop, *, per_minute: int = 6_000) -> Lifting:
    """What Ada proposes."""
    first, _ = operators(stop)
    actor = proved(first)
    return liftings.propose(stop.pk, why="over", per_minute=per_minute, actor=actor)


def confirmed(lifting: Lifting) -> Stop:
    """What Eve confirms."""
    _, second = operators(Stop.objects.select_related("tenant").get(pk=lifting.stop_id))
    return liftings.confirm(lifting.pk, actor=proved(second))


def lifted(stop: Stop, *, per_minute: int = 6_000) -> Stop:
    """A stop that Ada and Eve have lifted."""
    return confirmed(proposed(stop, per_minute=per_minute))
