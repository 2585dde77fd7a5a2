"""Visiting pages as a person: one client each, and the words a page shows."""

import html
import re
from typing import Any

from django.test import Client

from checkpoints.models import Run
from tenants.models import User
from tests.engine.turns import Bench

PASSWORD = "correct horse battery"


def signed_in(user: User) -> Client:
    """A client with this person signed in."""
    client = Client()
    client.force_login(user)
    return client


def proved_in(user: User) -> Client:
    """A client with this person signed in by their password, just now."""
    user.set_password(PASSWORD)
    user.save(update_fields=["password"])
    client = Client()
    client.post("/sign-in/", {"login": user.email, "password": PASSWORD})
    return client


def words(response: Any) -> str:
    """What a page says, without its markup, white space made plain."""
    text = re.sub(r"<[^>]+>", " ", response.content.decode())
    return re.sub(r"\s+", " ", html.unescape(text))


def at(bench: Bench, rest: str = "") -> str:
    """An address of the bench's tenant."""
    return f"/t/{bench.tenant.slug}/{rest}"


def page_of(bench: Bench, run: Run, rest: str = "") -> str:
    """An address of one run."""
    return at(bench, f"runs/{run.id}/{rest}")
