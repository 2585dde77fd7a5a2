"""`manage.py fixtures`: keep runs as files, and start them again to see whether they still go so."""

import json
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError

from canonical.display import visible
from checkpoints.models import Run
from execution.fixtures import documents, recording, replaying, surroundings
from execution.fixtures.documents import Document
from execution.fixtures.errors import FixtureError
from execution.fixtures.recording import Named
from execution.fixtures.replaying import Judged, Setting
from tenants.actors import Actor
from tenants.models import Tenant

SHELL = Actor.machine("manage.py fixtures")
HELP = """\
Regression fixtures: what a run was asked, what people answered, and what came of it, as a file.

  fixtures record RUN --group normal --name two-files   keep a run that has ended
  fixtures replay                                       start every kept run again
  fixtures replay --group timed_out --json              one group; one JSON object at the end
  fixtures replay --file fixtures/normal/x.json --rerecord   keep what comes of it now

A replay is a real run with real effects, asked of people like any other. It is judged by fields,
and each that differs is named: `effects[1].outcome: happened ≠ refused`. A fixture is pinned to its
combo: where the code is another, that is the difference and nothing is started, unless
--combo-moved accepts it. Exit 1 on a difference.
"""


class Command(BaseCommand):
    help = HELP

    def create_parser(self, prog_name: str, subcommand: str, **options: Any) -> Any:
        shape = {"formatter_class": RawDescriptionHelpFormatter}
        return super().create_parser(prog_name, subcommand, **{**options, **shape})

    def add_arguments(self, parser: ArgumentParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True)
        made = verbs.add_parser("record", help="keep a run that has ended")
        made.add_argument("run", type=UUID, help="run id")
        made.add_argument("--group", required=True, choices=documents.GROUPS)
        made.add_argument("--name", required=True, help="of the file: small letters and dashes")
        made.add_argument("--says", default="", help="one sentence: what it shows")
        made.add_argument("--world", type=Path, help="JSON file: the world it needs, if any")
        again = verbs.add_parser("replay", help="start kept runs again and judge them")
        again.add_argument("--group", default="", choices=["", *documents.GROUPS], metavar="GROUP")
        again.add_argument("--file", type=Path, action="append", default=[], help="only this one")
        again.add_argument("--tenant", default="", help="slug; needed where there are several")
        again.add_argument("--combo-moved", action="store_true", help="another combo is fine")
        again.add_argument("--rerecord", action="store_true", help="write what came of it")
        again.add_argument("--patience", type=float, default=replaying.PATIENCE_SECONDS,
                           help="seconds until a run that does not come to rest is given up")  # fmt: skip
        again.add_argument("--json", action="store_true", help="one JSON object, for machines")
        for verb in (made, again):
            verb.add_argument("--folder", type=Path, default=documents.folder(), help="of all")

    def handle(self, *args: object, **options: Any) -> None:
        try:
            if options["verb"] == "record":
                self._record(options)
            else:
                self._replay(options)
        except FixtureError as error:
            raise CommandError(f"{(error.__doc__ or '').strip()} {error}") from error

    def _record(self, options: dict[str, Any]) -> None:
        run = Run.objects.select_related("combo", "tenant").filter(pk=options["run"]).first()
        if run is None:
            raise CommandError(f"There is no run {options['run']}.")
        world = json.loads(options["world"].read_text()) if options["world"] else {}
        says = options["says"] or f"A run of {run.task_type}, as it went when it was kept."
        named = Named(options["group"], options["name"], says, world)
        document = recording.record(run, named, actor=SHELL)
        self.stdout.write(f"{documents.write(document, options['folder'])}")

    def _replay(self, options: dict[str, Any]) -> None:
        paths = options["file"] or list(documents.kept(options["folder"], group=options["group"]))
        if not paths:
            raise CommandError(f"There are no fixtures in {options['folder']}.")
        around = surroundings.of_settings(self._say)
        accepts = options["combo_moved"] or options["rerecord"]
        setting = Setting(_tenant(options["tenant"]), around, accepts, options["patience"])
        judged = []
        for path, kept in _read(paths):
            found = replaying.judge(kept, setting)
            judged.append((path, found))
            self._tell(f"[{len(judged)}/{len(paths)}] {kept['group']} {kept['name']}", found)
            if options["rerecord"] and found.now is not None:
                path.write_bytes(documents.text(documents.checked(found.now, str(path))))
        wrong = [found for _, found in judged if not found.holds]
        if options["json"]:
            told = [_as_json(path, found) for path, found in judged]
            self.stdout.write(json.dumps({"passed": not wrong, "fixtures": told}))
        if wrong and not (options["rerecord"] and all(found.now for found in wrong)):
            raise SystemExit(1)

    def _tell(self, what: str, found: Judged) -> None:
        self._say(f"{what}: {'as kept' if found.holds else 'NOT as kept'}")
        for line in _lines(found):
            self._say(f"    {line}")

    def _say(self, words: str) -> None:
        # What a file or a run says was written by others: a terminal must not obey it.
        self.stderr.write(visible(words))


def _read(paths: list[Path]) -> Iterator[tuple[Path, Document]]:
    for path in paths:
        yield path, documents.read(path)


def _lines(found: Judged) -> list[str]:
    lines = [found.trouble] if found.trouble else []
    lines += [str(each) for each in found.differences]
    if found.moved and found.now is None:
        lines.append("It is pinned to another combo: accept with --combo-moved, or --rerecord.")
    elif found.moved:
        lines.append(f"({len(found.moved)} parts of its combo have moved)")
    return lines


def _tenant(slug: str) -> Tenant:
    found = Tenant.objects.filter(slug=slug) if slug else Tenant.objects.all()
    if len(found) != 1:
        known = ", ".join(Tenant.objects.values_list("slug", flat=True)) or "none"
        raise CommandError(f"Name one tenant with --tenant; there are: {known}")
    return found[0]


def _as_json(path: Path, found: Judged) -> dict[str, Any]:
    told = [{"path": it.path, "kept": it.kept, "now": it.now} for it in found.differences]
    return {
        "file": str(path),
        "group": found.kept["group"],
        "name": found.kept["name"],
        "passed": found.holds,
        "run": found.run_id,
        "differences": told,
        "combo_moved": [each.path for each in found.moved],
        "trouble": found.trouble,
    }
