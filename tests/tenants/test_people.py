"""Making tenants and people from the shell: what is made, what is refused, what is kept."""

from io import StringIO

import pytest
from django.contrib.auth import authenticate
from django.core.management import CommandError, call_command

from tenants import access
from tenants.models import AuditRow, Tenant, User
from tenants.roles import ROLES

pytestmark = pytest.mark.django_db


def people(*words: str) -> str:
    out = StringIO()
    call_command("people", *words, stdout=out)
    return out.getvalue()


def add(role: str = "operator", email: str = "Eve@Example.org") -> str:
    return people("add", email, "--name", "Eve", "--tenant", "acme", "--role", role)


def test_a_person_gets_a_role_and_a_password_shown_once() -> None:
    assert "acme: Acme Ltd" in people("add-tenant", "acme", "Acme Ltd")
    first = add()
    eve, acme = User.objects.get(), Tenant.objects.get()
    assert (eve.email, eve.name) == ("eve@example.org", "Eve")
    password = first.strip().rsplit(" ", 1)[1]
    assert authenticate(email="eve@example.org", password=password) == eve
    assert access.of(eve).rights == {acme.pk: frozenset(ROLES["operator"])}
    assert password not in str(list(AuditRow.objects.values()))


def test_a_second_role_is_added_to_the_same_person() -> None:
    people("add-tenant", "acme", "Acme Ltd")
    add("operator")
    assert "Password" not in add("approver")
    rights = access.of(User.objects.get()).rights[Tenant.objects.get().pk]
    assert rights == frozenset(ROLES["operator"] + ROLES["approver"])


def test_each_change_is_audited() -> None:
    people("add-tenant", "acme", "Acme Ltd")
    people("add-tenant", "acme", "Acme again")
    add()
    acme = Tenant.objects.get()
    assert acme.name == "Acme Ltd"
    rows = AuditRow.objects.order_by("audit_id").values_list("tenant", "actor_id", "verb")
    assert list(rows) == [
        (acme.pk, "manage.py people", "add_tenant"),
        (None, "manage.py people", "add_person"),
        (acme.pk, "manage.py people", "give_role"),
    ]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("add-tenant", "Ac me", "Acme"), "slug: Enter a valid"),
        (("add-tenant", "acme", ""), "name: This field cannot be blank"),
        (("add", "eve", "--tenant", "there", "--role", "owner"), "email: Enter a valid email"),
        (("add", "e@x.org", "--tenant", "no", "--role", "owner"), "There is no tenant 'no'"),
        (("add", "e@x.org", "--tenant", "there", "--role", "king"), "invalid choice: 'king'"),
    ],
)
def test_what_cannot_be_made_is_refused_in_a_sentence(
    words: tuple[str, ...], sentence: str
) -> None:
    Tenant.objects.create(slug="there", name="There")
    with pytest.raises(CommandError, match=sentence):
        people(*words)
    assert not User.objects.exists()
    assert not AuditRow.objects.exists()


def test_a_role_taken_away_takes_its_rights_and_leaves_a_row() -> None:
    people("add-tenant", "acme", "Acme Ltd")
    add("operator")
    add("auditor")
    assert "no right of a role operator" in people(
        "take", "Eve@Example.org", "--tenant", "acme", "--role", "operator"
    )
    acme = Tenant.objects.get()
    assert access.of(User.objects.get()).rights == {acme.pk: frozenset({"audit"})}
    assert AuditRow.objects.get(verb="take_role").detail["role"] == "operator"
    with pytest.raises(CommandError, match="There is no tenant 'acme' with a person"):
        people("take", "nobody@example.org", "--tenant", "acme", "--role", "operator")
