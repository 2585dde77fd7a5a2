"""The database's clock moves on inside a transaction."""

import pytest
from django.db import transaction

from approvals import clock
from tenants.models import Tenant
from tests.people import make_tenant


@pytest.mark.django_db
def test_time_passes_inside_a_transaction() -> None:
    make_tenant()
    with transaction.atomic():
        first, second = clock.now(), clock.now()
        third = Tenant.objects.annotate(at=clock.ClockTimestamp()).values_list("at", flat=True)[0]
    assert first < second < third
    assert first.tzinfo is not None
