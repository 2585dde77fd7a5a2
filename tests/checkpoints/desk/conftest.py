"""A case that a run is held by, and the two people who could be at it."""

import pytest

from checkpoints.models import Case
from tenants.models import Tenant, User
from tests.people import ada, eve, make_tenant
from tests.reconciliation.deskwork import held


@pytest.fixture
def tenant() -> Tenant:
    return make_tenant()


@pytest.fixture
def case(tenant: Tenant) -> Case:
    return held(tenant, "crash_loop")


@pytest.fixture
def first(tenant: Tenant) -> User:
    return ada(tenant)


@pytest.fixture
def second(tenant: Tenant) -> User:
    return eve(tenant)
