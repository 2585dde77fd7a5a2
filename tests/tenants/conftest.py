"""Each test counts sign-in attempts for itself, and hashes passwords cheaply."""

import uuid

import pytest
from django.conf import settings as project
from pytest_django import Settings


@pytest.fixture(autouse=True)
def _own_attempts(settings: Settings) -> None:
    settings.CACHES = {"default": {**project.CACHES["default"], "KEY_PREFIX": uuid.uuid4().hex}}
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
