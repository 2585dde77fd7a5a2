"""`manage.py verify`: re-read everything that was committed, and say what is damaged."""

import json
from argparse import ArgumentParser
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError

from checkpoints import reading
from checkpoints.models import Run
from reconciliation import proof


class Command(BaseCommand):
    help = "Re-read runs: digests, parent links, states, lists, blobs, receipts. Exit 1 on damage."

    def add_arguments(self, parser: ArgumentParser) -> None:
        which = parser.add_mutually_exclusive_group(required=True)
        which.add_argument("--run", type=UUID, help="one run")
        which.add_argument("--all", action="store_true", help="every run")
        parser.add_argument("--json", action="store_true", help="one JSON object, for machines")

    def handle(self, *args: object, **options: object) -> None:
        found = Run.objects.select_related("combo", "tenant").order_by("id")
        if options["run"]:
            found = found.filter(id=str(options["run"]))
            if not found.exists():
                raise CommandError(f"no run {options['run']}")
        damage = {
            str(run.id): reading.verify_run(run) + proof.damage(run) for run in found.iterator()
        }
        damaged = {run_id: said for run_id, said in damage.items() if said}
        if options["json"]:
            self.stdout.write(json.dumps({"checked": len(damage), "damaged": damaged}))
        else:
            for run_id, said in damaged.items():
                self.stdout.write("\n".join(f"{run_id}: {sentence}" for sentence in said))
            self.stdout.write(f"{len(damage)} runs checked, {len(damaged)} damaged")
        if damaged:
            raise SystemExit(1)
