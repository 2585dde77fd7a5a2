"""One-use links: only a digest is kept, ten minutes, and once even when used twice at once."""

from datetime import timedelta
from io import StringIO
from threading import Barrier

import pytest
from django.core.management import CommandError, call_command
from django.db.models.functions import Now
from pytest_django import Settings

from tenants.actors import Actor
from tenants.errors import LinkClosed
from tenants.models import AuditRow, SignInLink, User
from tenants.signin.links import is_open, make_link, use_link
from tests.people import ada
from tests.tenants.threads import in_thread

SHELL = Actor.machine("test")


@pytest.mark.django_db
def test_only_the_digest_of_a_token_is_kept() -> None:
    token = make_link(ada(), actor=SHELL)
    link = SignInLink.objects.get()
    assert token.encode() not in bytes(link.token_digest)
    assert len(bytes(link.token_digest)) == 32
    assert token not in str(list(AuditRow.objects.values()))
    assert is_open(token)


@pytest.mark.django_db
def test_a_link_is_over_after_ten_minutes() -> None:
    token = make_link(ada(), actor=SHELL)
    link = SignInLink.objects.get()
    assert link.expires_at - link.made_at == timedelta(minutes=10)
    SignInLink.objects.update(expires_at=Now())
    assert not is_open(token)
    with pytest.raises(LinkClosed):
        use_link(token)


@pytest.mark.django_db
def test_a_link_of_somebody_deactivated_is_closed() -> None:
    token = make_link(ada(), actor=SHELL)
    User.objects.update(is_active=False)
    with pytest.raises(LinkClosed):
        use_link(token)
    assert SignInLink.objects.get().used_at is None


@pytest.mark.django_db(transaction=True)
def test_a_link_used_twice_at_once_signs_in_once() -> None:
    user = ada()
    for _ in range(10):
        token = make_link(user, actor=SHELL)
        start, used, refused = Barrier(3), list[User](), list[LinkClosed]()

        def use(token: str = token, start: Barrier = start) -> None:
            start.wait(10)
            try:
                used.append(use_link(token))  # noqa: B023 - read before the next round
            except LinkClosed as closed:
                refused.append(closed)  # noqa: B023 - as above

        threads = [in_thread(use) for _ in range(3)]
        for thread in threads:
            thread.join()
        assert (used, len(refused)) == ([user], 2)
    assert AuditRow.objects.filter(verb="use_sign_in_link").count() == 10


@pytest.mark.django_db
def test_the_command_prints_a_link_that_works(settings: Settings) -> None:
    settings.KEDGE_DEMO = True
    out = StringIO()
    user = ada()
    call_command("signin_link", "Ada@example.org", base="http://127.0.0.1:9/", stdout=out)
    url = out.getvalue().strip()
    assert url.startswith("http://127.0.0.1:9/sign-in/link/")
    assert use_link(url.rstrip("/").rsplit("/", 1)[1]) == user


@pytest.mark.django_db
def test_the_command_refuses_outside_a_demo_and_for_nobody(settings: Settings) -> None:
    settings.KEDGE_DEMO = False
    with pytest.raises(CommandError, match="KEDGE_DEMO=1"):
        call_command("signin_link", "ada@example.org")
    settings.KEDGE_DEMO = True
    with pytest.raises(CommandError, match=r"no active person .* nobody@example\.org"):
        call_command("signin_link", "nobody@example.org")
