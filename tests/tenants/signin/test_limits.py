"""Sign-in attempts are counted once for all processes, and still counted when Valkey is away."""

import socket
import time
import uuid

import pytest
from django.conf import settings
from django.test import Client
from pytest_django import Settings

from tenants.signin.limits import ANSWER_SECONDS, AttemptCache


@pytest.fixture
def nowhere() -> str:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        return f"redis://127.0.0.1:{closed.getsockname()[1]}/0"


def test_two_processes_see_the_same_count() -> None:
    params = {"KEY_PREFIX": uuid.uuid4().hex}
    one, two = (AttemptCache(settings.REDIS_URL, params) for _ in range(2))
    one.set("key", [1.5, 2.5], 60)
    assert two.get("key") == [1.5, 2.5]
    assert not two.add("key", value=True, timeout=60)
    assert two.touch("key", 60)
    assert two.delete("key")
    assert one.get("key", "none") == "none"


def test_without_valkey_each_process_counts_for_itself(nowhere: str) -> None:
    cache = AttemptCache(nowhere, {"KEY_PREFIX": uuid.uuid4().hex})
    assert cache.add("key", value=True, timeout=60)
    assert not cache.add("key", value=True, timeout=60)
    cache.clear()
    assert cache.get("key") is None


def test_a_server_that_hangs_is_waited_for_once() -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        port = silent.getsockname()[1]
        cache = AttemptCache(f"redis://127.0.0.1:{port}/0", {"KEY_PREFIX": uuid.uuid4().hex})
        began = time.monotonic()
        for number in range(50):
            cache.set(f"key-{number}", number, 60)
        assert time.monotonic() - began < 10 * ANSWER_SECONDS
        assert cache.get("key-49") == 49


def test_valkey_is_asked_again_after_a_while(nowhere: str) -> None:
    prefix = {"KEY_PREFIX": uuid.uuid4().hex}
    cache, other = AttemptCache(nowhere, prefix), AttemptCache(settings.REDIS_URL, prefix)
    cache.set("key", "own", 60)
    cache._shared = other._shared
    assert cache.get("key") == "own"
    cache._away_until = 0.0
    assert cache.get("key") is None


@pytest.mark.django_db
def test_guessing_is_still_stopped_without_valkey(
    client: Client, settings: Settings, nowhere: str
) -> None:
    settings.CACHES = {
        "default": {
            "BACKEND": "tenants.signin.limits.AttemptCache",
            "LOCATION": nowhere,
            "KEY_PREFIX": uuid.uuid4().hex,
        }
    }
    guess = {"login": "ada@example.org", "password": "wrong"}
    pages = [client.post("/sign-in/", guess) for _ in range(6)]
    errors = [page.context["form"].errors.as_data()["__all__"][0].code for page in pages]
    assert errors == ["email_password_mismatch"] * 5 + ["too_many_login_attempts"]
