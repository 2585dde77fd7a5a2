"""`manage.py stop`: stop effects or new runs, for one tenant or for everything; or lift a stop."""

from argparse import ArgumentParser

from django.core.management.base import BaseCommand, CommandError

from checkpoints import stops
from checkpoints.errors import RecordError
from checkpoints.models import Stop
from reconciliation import queries
from tenants.actors import Actor
from tenants.models import Tenant


class Command(BaseCommand):
    help = "Stop effects (or new runs). Works with Valkey down. `--lift` lifts it again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--tenant", default="", help="slug; without it, everything is stopped")
        parser.add_argument("--new-runs", action="store_true", help="new runs instead of effects")
        parser.add_argument("--why", required=True, help="the reason, kept in the record")
        parser.add_argument("--lift", action="store_true", help="lift the stop")

    def handle(self, *args: object, **options: object) -> None:
        lock: stops.Lock = "new_runs" if options["new_runs"] else "effects"
        actor, why = Actor.machine("command line"), str(options["why"])
        try:
            tenant = Tenant.objects.get(slug=options["tenant"]) if options["tenant"] else None
            if options["lift"]:
                standing = Stop.objects.get(tenant=tenant, lock=lock, lifted_at=None)
                stops.lift(standing.pk, why=why, actor=actor)
                self.stdout.write("lifted")
                return
            stops.stop(tenant, lock, why=why, actor=actor)
        except (Tenant.DoesNotExist, Stop.DoesNotExist, RecordError) as error:
            raise CommandError(str(error)) from error
        out = queries.out_in_the_world(tenant)
        self.stdout.write(f"stopped; {len(out)} calls were out" + (":" if out else ""))
        for action in out:
            self.stdout.write(f"  {action.id} {action.describe} ({action.tenant.slug})")
