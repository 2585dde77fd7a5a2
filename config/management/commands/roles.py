"""`manage.py roles`: what the database users of web and worker may do. Run after every migrate."""

from typing import Any

import psycopg
from django.conf import settings
from django.core.management.base import BaseCommand

from config import roles
from config.database import user_of


class Command(BaseCommand):
    """Grants each role's user what it needs, and its limits on time and locks."""

    help = "Give the database users of web and worker what they need, and nothing else."

    def handle(self, *args: Any, **options: Any) -> None:
        """Do it for both roles, or say that one user serves for all."""
        owner = user_of(settings.DATABASE_URLS["owner"])
        for role in ("web", "worker"):
            url = settings.DATABASE_URLS[role]
            user = user_of(url)
            if user == owner:
                self.stdout.write(
                    f"The {role} process uses the owner's database user {owner!r}, so the database"
                    " cannot keep it from changing tables. Make a user for it and name it in"
                    f" DATABASE_URL_{role.upper()}."
                )
                continue
            roles.grant(user)
            with psycopg.connect(url, autocommit=True) as own:
                roles.limit(own, role)
