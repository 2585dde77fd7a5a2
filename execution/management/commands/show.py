"""`manage.py show`: one run as text: where it stands, its checkpoints, its actions."""

from argparse import ArgumentParser
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError

from checkpoints.models import Case, Checkpoint, Run
from reconciliation.models import Action

NEWEST = 10


class Command(BaseCommand):
    help = "Show a run: status, why, newest checkpoints, actions with their outcome, open case."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("run", type=UUID, help="run id")

    def handle(self, *args: object, **options: object) -> None:
        run = Run.objects.select_related("tenant").filter(id=str(options["run"])).first()
        if run is None:
            raise CommandError(f"no run {options['run']}")
        say = self.stdout.write
        say(f"{run.id}  {run.tenant.slug}  {run.task_type}  {run.business_key}")
        say(f"{run.status}  {run.reason or run.stop_reason}  {run.sentence}")
        say(f"head {run.head}, next {run.next_node}, fence {run.fence}, attempts {run.attempts}")
        rows = Checkpoint.objects.filter(run_id=run.id).order_by("-seq")[:NEWEST]
        for row in rows:
            say(f"  #{row.seq} {row.at:%Y-%m-%d %H:%M:%S} {row.node} → {row.next_node}")
        for action in Action.objects.filter(run_id=run.id).order_by("proposed_seq"):
            say(f"  action {action.id} {action.describe}: {action.outcome or action.stands}")
        for case in Case.objects.filter(run_id=run.id, closed_at=None):
            say(f"  case {case.id} {case.kind}: {case.sentence}")
