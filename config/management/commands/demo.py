"""`manage.py demo --bad-release`: one release that goes wrong, from its ladder to its rollback."""

from argparse import ArgumentParser

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import OperationalError
from django.db.utils import ProgrammingError
from django.utils.translation import gettext as _

from canonical.display import visible
from config.demo.release import telling
from config.demo.release.story import TooSlowError
from releases.errors import ReleaseRefusedError


class Command(BaseCommand):
    help = (
        "--bad-release: real runs send a hasty prompt up its ladder, through shadow and canary, until its"
        " gate stops it, and roll it back. It takes some minutes, plays at a fresh tenant, says"
        " where to look on, and can be played again. KEDGE_DEMO=1 only, and the demo must be running."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--bad-release", action="store_true", required=True)

    def handle(self, *args: object, **options: object) -> None:
        if not settings.KEDGE_DEMO:
            raise CommandError("This is no demo installation: set KEDGE_DEMO=1.")
        try:
            telling.tell(self._say)
        except (OperationalError, ProgrammingError) as error:
            raise CommandError("The demo does not run here. Start it with `make up`.") from error
        except LookupError as missing:
            raise CommandError(str(missing)) from missing
        except ReleaseRefusedError as refusal:
            raise CommandError(str(refusal) or str(refusal.__doc__)) from refusal
        except TooSlowError as slow:
            said = _("%(what)s Are workers running? `make up` starts them.")
            raise CommandError(said % {"what": slow}) from slow

    def _say(self, words: str) -> None:
        self.stdout.write(visible(words))
        self.stdout.flush()
