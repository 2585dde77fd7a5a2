"""Actors: how a person, a machine and a stranger are written down."""

import pytest

from tenants.actors import Actor
from tenants.models import User
from tests.people import ada


@pytest.mark.django_db
def test_a_person_is_known_by_number_and_shown_by_name() -> None:
    user = ada()
    assert Actor.person(user) == Actor("person", str(user.pk), user.pk, "Ada")


def test_machines_and_strangers_are_no_users() -> None:
    assert Actor.machine("sweeper") == Actor("machine", "sweeper", None, "sweeper")
    assert Actor.stranger("10.0.0.1") == Actor("stranger", "10.0.0.1", None, "10.0.0.1")


def test_somebody_unsaved_cannot_act() -> None:
    with pytest.raises(ValueError, match="saved person"):
        Actor.person(User(email="x@example.org"))
