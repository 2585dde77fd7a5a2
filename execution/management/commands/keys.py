"""Keeps the key ring: `manage.py keys check`, `… rotate`, `… erase TENANT PERSON`, `… erase-own EMAIL`."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from checkpoints import erasures
from tenants.actors import Actor
from tenants.keys import keeping
from tenants.keys.errors import KeysError
from tenants.models import Tenant, User

SHELL = Actor.machine("manage.py keys")


class Command(BaseCommand):
    """Never prints a key."""

    help = "Check that encrypted fields can be read, wrap all keys anew, erase a person's data."

    def add_arguments(self, parser: CommandParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True)
        verbs.add_parser("check", help="say which key of the ring is in use, and whether all open")
        verbs.add_parser("rotate", help="wrap all data keys with the newest key of KEDGE_KEYS")
        erase = verbs.add_parser(
            "erase", help="destroy the key of one person; there is no way back"
        )
        erase.add_argument("tenant", help="slug of the tenant")
        erase.add_argument("person", help="the person, exactly as x-subject names them in the data")
        own = verbs.add_parser(
            "erase-own", help="destroy the key of somebody's own apps, codes and webhook"
        )
        own.add_argument("email", help="the e-mail with which the person signs in")
        for each in (erase, own):
            each.add_argument("--reason", required=True, help="why, for the audit trail")
            each.add_argument("--yes", action="store_true", help="really: there is no way back")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            if options["verb"] == "check":
                self._check()
            elif options["verb"] == "rotate":
                self._rotate()
            elif options["verb"] == "erase-own":
                self._erase_own(**{name: options[name] for name in ("email", "reason", "yes")})
            else:
                self._erase(
                    **{name: options[name] for name in ("tenant", "person", "reason", "yes")}
                )
        except KeysError as error:
            raise CommandError(str(error)) from None

    def _check(self) -> None:
        standings = keeping.standings()
        for number, standing in enumerate(standings):
            role = "newest, wraps new keys" if number == 0 else "older"
            state = standing.problem or f"wraps {standing.wraps} data keys, which open"
            if not standing.wraps and number:
                state = "wraps nothing; it can be taken out of KEDGE_KEYS"
            self.stdout.write(f"{standing.ring_key} ({role}): {state}")
        if any(standing.problem for standing in standings):
            raise CommandError("Some encrypted fields cannot be read.")

    def _rotate(self) -> None:
        done = 0
        for done, total in keeping.rotate(actor=SHELL):
            self.stdout.write(f"{done} of {total} data keys wrapped anew")
        self.stdout.write(
            f"Done: {done}. Once `manage.py keys check` says that an older key wraps nothing, and "
            "no backup that you may restore needs it, it can be taken out of KEDGE_KEYS."
        )

    def _erase(self, *, tenant: str, person: str, reason: str, yes: bool) -> None:
        found = Tenant.objects.filter(slug=tenant).first()
        if found is None:
            raise CommandError(f"There is no tenant {tenant!r}.")
        if not yes:
            raise CommandError(
                "Nothing was erased. What is encrypted for this person at this tenant could never "
                "be read again; add --yes to do it."
            )
        erased = erasures.erase(found, person, actor=SHELL, reason=reason)
        self.stdout.write(
            f"Erased: data key {erased.key.pk} of {tenant} is destroyed. Turns that were under way "
            f"and had to let go of their runs: {erased.turns}. Backups made before today still hold "
            "the key, wrapped; delete them in time."
        )

    def _erase_own(self, *, email: str, reason: str, yes: bool) -> None:
        person = User.objects.filter(email=email.strip().lower()).first()
        if person is None:
            raise CommandError(f"There is no person with the e-mail {email}.")
        if not yes:
            raise CommandError(
                "Nothing was erased. Their authenticator app, recovery codes and webhook could "
                "never be read again; add --yes to do it."
            )
        row = keeping.erase_own(person, actor=SHELL, reason=reason)
        self.stdout.write(
            f"Erased: person key {row.pk} is destroyed. {person.email} cannot sign in by app or "
            "recovery code any more, and by password alone only after: manage.py second_factors "
            f"{person.email}. Backups made before today still hold the key, wrapped."
        )
