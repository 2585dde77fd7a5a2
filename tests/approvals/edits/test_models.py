"""What PostgreSQL refuses to do with edits, whoever asks."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import IntegrityError, connection, transaction

from approvals import clock
from approvals.models import EditDecision, EditRequest
from checkpoints.models import Case, Run
from tenants.models import Tenant, User
from tests.approvals.edits.rows import bare_edit, service
from tests.people import ada, dee, eve, make_tenant
from tests.reconciliation.deskwork import guards_off, held

pytestmark = pytest.mark.django_db


@pytest.fixture
def tenant() -> Tenant:
    return make_tenant()


@pytest.fixture
def case(tenant: Tenant) -> Case:
    return held(tenant, "crash_loop")


@pytest.fixture
def edit(case: Case, tenant: Tenant) -> EditRequest:
    return bare_edit(case, eve(tenant))


def say(edit: EditRequest, user: User, **fields: Any) -> EditDecision:
    values = {"verdict": "approve", "posted_hash": edit.edit_hash, **fields}
    with transaction.atomic():
        return EditDecision.objects.create(request=edit, user=user, **values)


def move(edit: EditRequest, state: str, **fields: Any) -> None:
    with transaction.atomic():
        EditRequest.objects.filter(pk=edit.pk).update(state=state, closed_at=clock.now(), **fields)


def allow(edit: EditRequest, tenant: Tenant) -> None:
    say(edit, dee(tenant))
    move(edit, "approved")


def refused(rule: str) -> Any:
    return pytest.raises(IntegrityError, match=rule)


def test_its_hash_is_of_what_is_bound_and_that_of_its_state_and_diff(
    case: Case, tenant: Tenant
) -> None:
    with refused("edit_hash_is_of_what_is_bound"), transaction.atomic():
        bare_edit(case, eve(tenant), edit_hash="0" * 64)
    for other in ({"content": b"{}"}, {"diff": b"{}"}):
        with refused("an_edit_is_bound_to_its_state_and_diff"), transaction.atomic():
            bare_edit(case, eve(tenant), **other)


@pytest.mark.parametrize(
    "change",
    [{"content": b"{}"}, {"diff": b"{}"}, {"next_node": "x"}, {"reason": "x"}, {"parent_seq": 3}],
)
def test_what_was_shown_is_never_changed(edit: EditRequest, change: dict[str, Any]) -> None:
    with refused("an_edit_keeps_what_was_shown"), transaction.atomic():
        EditRequest.objects.filter(pk=edit.pk).update(**change)


def test_neither_its_author_nor_the_starter_decides_it(edit: EditRequest, tenant: Tenant) -> None:
    for user in (eve(tenant), ada(tenant)):
        with refused("an_edit_is_decided_by_a_second_person"):
            say(edit, user)
    assert edit.starter == ada(tenant)
    say(edit, dee(tenant))


def test_no_machine_writes_or_decides_one(edit: EditRequest, tenant: Tenant) -> None:
    robot = service()
    with refused("an_edit_is_decided_by_a_second_person"):
        say(edit, robot)
    with refused("an_edit_is_written_by_a_person"), transaction.atomic():
        bare_edit(held(tenant, "crash_loop"), robot)


def test_it_is_allowed_only_by_a_decision_on_its_hash(edit: EditRequest, tenant: Tenant) -> None:
    with refused("an_edit_is_allowed_by_a_second_person"):
        move(edit, "approved")
    say(edit, dee(tenant), posted_hash="0" * 64)
    with refused("an_edit_is_allowed_by_a_second_person"):
        move(edit, "approved")


def test_it_is_used_once_in_time_and_only_when_allowed(edit: EditRequest, tenant: Tenant) -> None:
    with refused("an_edit_ends_once"):
        move(edit, "used", used_seq=1)
    allow(edit, tenant)
    with refused("an_edit_is_used_iff_it_became_a_checkpoint"):
        move(edit, "used")
    move(edit, "used", used_seq=1)
    for state in ("approved", "open", "withdrawn"):
        with refused("an_edit_ends_once|iff"):
            move(edit, state)


def test_after_its_time_it_is_neither_allowed_nor_used(case: Case, tenant: Tenant) -> None:
    past = clock.now() - timedelta(seconds=1)
    late = bare_edit(case, eve(tenant), expires_at=past)
    say(late, dee(tenant))
    with refused("an_edit_is_allowed_and_used_in_time"):
        move(late, "approved")
    with guards_off():
        move(late, "approved")
    with refused("an_edit_is_allowed_and_used_in_time"):
        move(late, "used", used_seq=1)


def test_with_an_effect_in_flight_none_is_asked_or_allowed(
    edit: EditRequest, tenant: Tenant
) -> None:
    say(edit, dee(tenant))
    other = held(tenant, "crash_loop")
    Run.objects.filter(pk__in=[edit.run_id, other.run_id]).update(effect_in_flight=uuid4())
    rule = "an_edit_is_of_a_held_run_without_an_effect_in_flight"
    with refused(rule):
        move(edit, "approved")
    with refused(rule), transaction.atomic():
        bare_edit(other, eve(tenant))


def test_it_is_of_an_open_case_and_one_at_a_time(
    edit: EditRequest, case: Case, tenant: Tenant
) -> None:
    with refused("one_live_edit_per_run"), transaction.atomic():
        bare_edit(case, eve(tenant))
    other = held(tenant, "crash_loop")
    with refused("an_edit_is_of_an_open_case"), transaction.atomic():
        Case.objects.filter(pk=other.pk).update(decided_at=clock.now())
        bare_edit(other, eve(tenant))


def test_rows_stay(edit: EditRequest, tenant: Tenant) -> None:
    said = say(edit, dee(tenant))
    for table, row in (("editdecision", said), ("editrequest", edit)):
        with refused("facts"), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"DELETE FROM approvals_{table} WHERE id = %s", [row.pk])
    with refused("facts"), transaction.atomic():
        EditDecision.objects.filter(pk=said.pk).update(verdict="reject", reason="no")
