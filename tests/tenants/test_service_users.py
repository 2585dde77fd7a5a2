"""A service user is no person: it has no session, no say, and is refused before its rights are read."""

import pytest
from django.contrib.auth import authenticate
from django.db import IntegrityError, transaction
from django.test import Client
from pytest_django import DjangoAssertNumQueries, Settings

from tenants import access, people
from tenants.actors import Actor
from tenants.errors import NotAPerson, PeopleError
from tenants.models import AuditRow, User
from tenants.roles import ROLES
from tests.people import ada, make_tenant

pytestmark = pytest.mark.django_db
OPERATOR = Actor.machine("test")


@pytest.fixture
def robot() -> User:
    """A service user with every right of an owner."""
    made = people.add_service_user("ci@example.org", "CI", actor=OPERATOR)
    access.grant(make_tenant(), made, *ROLES["owner"])
    return made


def test_it_is_made_once_and_audited(robot: User) -> None:
    assert people.add_service_user("CI@example.org", "again", actor=OPERATOR) == robot
    assert AuditRow.objects.get(verb="add_service_user").subject == f"service:{robot.pk}"
    ada()
    with pytest.raises(PeopleError):
        people.add_service_user("ada@example.org", "Ada", actor=OPERATOR)


def test_its_session_is_nobodys(robot: User, client: Client, settings: Settings) -> None:
    settings.ROOT_URLCONF = "tests.tenants.pages"
    client.force_login(robot)
    assert client.get("/").status_code == 302


def test_no_password_signs_it_in(robot: User) -> None:
    robot.set_password("correct horse")
    with pytest.raises(IntegrityError), transaction.atomic():
        robot.save()
    assert authenticate(email=robot.email, password="") is None
    assert authenticate(email=robot.email, password="!") is None


def test_it_is_no_actor_whatever_its_rights(
    robot: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(0), pytest.raises(NotAPerson):
        Actor.person(robot)


def test_its_yes_never_counts(robot: User) -> None:
    tenant = make_tenant()
    person = ada(tenant)
    assert access.who_may(tenant.pk, "approve_actions", [robot.pk, person.pk]) == {person.pk}
    assert access.holders(tenant, "approve_actions") == [person]
