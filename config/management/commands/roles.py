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
        users = {role: user_of(url) for role, url in settings.DATABASE_URLS.items()}
        owner = users["owner"]
        for role in ("web", "worker"):
            url, user = settings.DATABASE_URLS[role], users[role]
            if user == owner:
                self.stdout.write(
                    f"The {role} process uses the owner's database user {owner!r}, so the database"
                    " cannot keep it from changing tables. Make a user for it and name it in"
                    f" DATABASE_URL_{role.upper()}."
                )
                continue
            if users["web"] == users["worker"] == user:
                self.stdout.write(
                    f"Web and worker share the database user {user!r}, so the database cannot keep"
                    " workers from writing what people decide. Make a user for each."
                )
            roles.grant(user, role if users["web"] != users["worker"] else "shared")
            if role == "worker":
                roles.let_pass(user)
            with psycopg.connect(url, autocommit=True) as own:
                roles.limit(own, role)
        with psycopg.connect(settings.DATABASE_URLS["web"], autocommit=True) as web:
            self.stdout.write(roles.told_of_wall(web))
