"""`manage.py fork`: a new run from a checkpoint of another, after saying what would happen."""

from argparse import ArgumentParser
from typing import Any
from uuid import UUID, uuid4

from django.core.exceptions import ObjectDoesNotExist
from django.core.management.base import BaseCommand, CommandError

from checkpoints import registry
from checkpoints.errors import RecordError
from checkpoints.models import Combo, Run
from execution.forks import compatible, making, previews
from execution.forks.making import Wanted
from tenants.actors import Actor
from tenants.keys import hiding


class Command(BaseCommand):
    help = (
        "Fork a run: a new run begins from one of its checkpoints, with the code that is installed "
        "here. Without --yes it only says what would happen."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("run", type=UUID, help="id of the run to be forked")
        parser.add_argument(
            "--checkpoint", type=int, required=True, help="its number; 0: the start"
        )
        parser.add_argument("--why", default="", help="the reason, kept in the record")
        parser.add_argument("--combo", default="", help="how its digest begins; else the one here")
        parser.add_argument(
            "--again", type=UUID, nargs="*", default=[], help="effects to be done again on purpose"
        )
        parser.add_argument(
            "--withdraw", action="store_true", help="withdraw what it has proposed and not sent"
        )
        parser.add_argument("--token", type=UUID, help="the same token twice is one fork")
        parser.add_argument("--yes", action="store_true", help="do it")

    def handle(self, *args: object, **options: Any) -> None:
        try:
            source = Run.objects.select_related("tenant", "combo").get(pk=options["run"])
            self._fork(source, options)
        except (ObjectDoesNotExist, RecordError) as error:
            raise CommandError(str(error)) from error

    def _fork(self, source: Run, options: dict[str, Any]) -> None:
        combo = _combo(source, options["combo"])
        again = frozenset(options["again"])
        seen = previews.preview(
            source, options["checkpoint"], combo, again, withdraws=options["withdraw"]
        )
        self.stdout.write(seen.forecast.sentence)
        for line in seen.forecast.lines:
            self.stdout.write(f"  {line.kind:<15} {line.action_id} {line.describe}: {line.why}")
        if not options["yes"]:
            self.stdout.write("Nothing was forked; say --yes to do it.")
            return
        wanted = Wanted(
            seq=options["checkpoint"],
            reason=hiding.text(options["why"]),
            token=options["token"] or uuid4(),
            combo=combo,
            again=again,
            withdraws=options["withdraw"],
        )
        run, created = making.fork(source, wanted, actor=Actor.machine("command line"))
        self.stdout.write(f"{run.pk}" if created else f"{run.pk} (forked before by this token)")


def _combo(source: Run, beginning: str) -> Combo:
    here = compatible.installed(source.task_type)
    if not beginning and here is not None:
        return here
    known = Combo.objects.filter(task_type=source.task_type)
    try:
        return registry.by_beginning(known, beginning)
    except Combo.DoesNotExist as error:
        raise CommandError(f"{error}; give more of the digest") from error
