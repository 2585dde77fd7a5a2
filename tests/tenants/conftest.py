"""Each test counts sign-in attempts and keeps signed heads for itself, and hashes cheaply."""

import uuid
from pathlib import Path

import pytest
from django.conf import settings as project
from pytest_django import Settings


@pytest.fixture(autouse=True)
def _own_attempts(settings: Settings, tmp_path: Path) -> None:
    settings.KEDGE_JOURNAL_DIR = tmp_path
    settings.CACHES = {"default": {**project.CACHES["default"], "KEY_PREFIX": uuid.uuid4().hex}}
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
