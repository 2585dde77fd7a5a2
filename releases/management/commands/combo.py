"""`manage.py combo`: register what an agent's files make, list combos, show one, compare two."""

import json
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import IntegrityError

from checkpoints import registry
from checkpoints.errors import RecordError
from checkpoints.models import Combo, Run
from execution import preflight
from releases.combos import comparing, reading, registering
from releases.combos.reading import Listed
from tenants import moments
from tenants.actors import Actor

HELP = """\
The version combos of this installation. Digests may be cut to their beginning.

  combo register fleet_change                     what the files of the task make
  combo register fleet_change --variant hasty     … with what its variant has in their place
  combo register fleet_change --successor-of 3f9c it may take over the runs of that one, too, once
                                                  no worker has that one's code any more
  combo list [fleet_change]                       by task type, the newest first
  combo show 3f9c                                 its manifest, whole
  combo diff 3f9c 51aa                            versions in a table, texts as a unified diff
"""


class Command(BaseCommand):
    help = HELP

    def create_parser(self, prog_name: str, subcommand: str, **options: Any) -> Any:
        shape = {"formatter_class": RawDescriptionHelpFormatter}
        return super().create_parser(prog_name, subcommand, **{**options, **shape})

    def add_arguments(self, parser: ArgumentParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True)
        register = verbs.add_parser("register")
        register.add_argument("task_type")
        register.add_argument("--variant", default="")
        register.add_argument("--successor-of", default="", metavar="DIGEST")
        verbs.add_parser("list").add_argument("task_type", nargs="?", default="")
        verbs.add_parser("show").add_argument("digest")
        diff = verbs.add_parser("diff")
        diff.add_argument("old")
        diff.add_argument("new")

    def handle(self, *arguments: Any, **options: Any) -> None:
        {
            "register": self._register,
            "list": self._list,
            "show": self._show,
            "diff": self._diff,
        }[options["verb"]](options)

    def _register(self, options: dict[str, Any]) -> None:
        actor, after = Actor.machine("command line"), options["successor_of"]
        older = _combo(after) if after else None
        try:
            combo, _ = registering.register(options["task_type"], options["variant"], actor=actor)
            if older is not None:
                registering.succeed(combo, older, actor=actor)
        except RecordError as error:
            raise CommandError(str(error)) from error
        except IntegrityError as error:
            raise CommandError("a successor is another combo of the same task") from error
        self.stdout.write(combo.hex)
        self._warn(combo)

    def _warn(self, combo: Combo) -> None:
        """Name the runs of other code that this code could not read, before anybody deploys it."""
        runs = Run.objects.filter(task_type=combo.task_type)
        found = preflight.look(runs.exclude(combo__code_part=combo.code_part))
        if found.cannot:
            self.stderr.write(
                f"Its code cannot read {len(found.cannot)} of {found.all} runs under way:"
            )
        for run, why in found.cannot:
            self.stderr.write(f"  {run.pk}  {run.tenant.slug}/{run.business_key}: {why}")

    def _list(self, options: dict[str, Any]) -> None:
        named = options["task_type"]
        known = set(Combo.objects.values_list("task_type", flat=True)) | {*registry.agents().GRAPHS}
        for task_type in sorted({named} if named else known):
            self.stdout.write(task_type)
            rows = reading.listed(Combo.objects.filter(task_type=task_type))
            for each in rows:
                self.stdout.write(_line(each))
            if not rows:
                self.stdout.write("  none yet: manage.py combo register")
            if len(rows) == reading.MOST:
                self.stdout.write(f"  (the newest {reading.MOST})")

    def _show(self, options: dict[str, Any]) -> None:
        manifest = reading.manifest_of(_combo(options["digest"]))
        self.stdout.write(json.dumps(manifest, indent=2, ensure_ascii=False))

    def _diff(self, options: dict[str, Any]) -> None:
        old, new = (reading.manifest_of(_combo(options[name])) for name in ("old", "new"))
        for version in comparing.versions(old, new):
            if version.differs:
                self.stdout.write(f"{version.name}: {version.left or '-'} → {version.right or '-'}")
        self.stdout.write(comparing.unified(old, new), ending="")


def _combo(beginning: str) -> Combo:
    try:
        return registry.by_beginning(Combo.objects.all(), beginning)
    except Combo.DoesNotExist as error:
        raise CommandError(f"{error}; give more of the digest") from error


def _line(each: Listed) -> str:
    names = ", ".join(name or "its own files" for name in each.variants)
    by = ", ".join(each.workers) or "no live worker"
    runs = f"{each.runs} live runs" if each.runs != 1 else "1 live run"
    made = moments.moment(each.combo.created_at)
    revisions = [it.revision[:12] for it in each.registrations if it.revision]
    at = f" at {revisions[0]}" if revisions else ""
    registered = f"registered as {names}{at}" if names else "not registered"
    code = f"code {each.code}, run by {by}"
    return f"  {each.combo}  {made}  {registered}; {code}; {runs}"
