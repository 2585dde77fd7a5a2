"""`manage.py evidence`: export the evidence of an effect or a run, and verify such a file offline."""

import json
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError

from canonical.display import visible
from checkpoints.models import Run
from reconciliation.errors import EvidenceNotReady
from reconciliation.evidence.exporting import export
from reconciliation.evidence.findings import Findings
from reconciliation.evidence.snapshots import About
from reconciliation.evidence.verifying import verify
from reconciliation.models import Action
from tenants.actors import Actor
from tenants.management import believing

SHELL = Actor.machine("manage.py evidence")


class Command(BaseCommand):
    help = (
        "Export the evidence of an effect or a run (export), or verify such a file without the"
        " database (verify). Exit 1 when a file does not hold."
    )
    # To verify takes nothing but the file.
    requires_system_checks: Any = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True)
        made = verbs.add_parser("export", help="write the evidence of one effect or one run")
        which = made.add_mutually_exclusive_group(required=True)
        which.add_argument("--action", type=UUID, help="action id")
        which.add_argument("--run", type=UUID, help="run id")
        made.add_argument("-o", "--output", type=Path, help="file (standard output)")
        made.add_argument("--without-payloads", action="store_true", help="digests only")
        read = verbs.add_parser("verify", help="recompute everything a file says")
        read.add_argument("file", type=Path)
        believing.add_argument(read)
        read.add_argument("--json", action="store_true", help="one JSON object, for machines")

    def handle(self, *args: object, **options: Any) -> None:
        if options["verb"] == "export":
            self._export(options)
        else:
            self._verify(options)

    def _export(self, options: dict[str, Any]) -> None:
        try:
            content = export(_about(options), actor=SHELL, whole=not options["without_payloads"])
        except EvidenceNotReady as error:
            raise CommandError(f"{error.__doc__} ({error})") from None
        if options["output"] is None:
            sys.stdout.buffer.write(content)
        else:
            options["output"].write_bytes(content)
            self.stdout.write(f"{options['output']}: {len(content):,} bytes")

    def _verify(self, options: dict[str, Any]) -> None:
        try:
            content = options["file"].read_bytes()
        except OSError as error:
            raise CommandError(f"{options['file']} cannot be read: {error.strerror}") from None
        findings = verify(content, believing.believed(options))
        if options["json"]:
            self.stdout.write(json.dumps(_as_json(findings), ensure_ascii=False))
        else:
            self._say(findings)
        if not findings.holds:
            raise SystemExit(1)

    def _say(self, findings: Findings) -> None:
        for fault in findings.faults:
            self._line("WRONG", f"{fault.member or '/'}: {fault.sentence}")
        for sentence in findings.proven:
            self._line("proven", sentence)
        for sentence in findings.open:
            self._line("not proven", sentence)
        verdict = "This evidence holds." if findings.holds else "This evidence does not hold."
        self.stdout.write(verdict)

    def _line(self, kind: str, sentence: str) -> None:
        # Names in it were written by others: a terminal must not obey them.
        self.stdout.write(f"{kind:<12}{visible(sentence)}")


def _about(options: dict[str, Any]) -> About:
    if options["run"] is not None:
        run = Run.objects.select_related("tenant").filter(pk=options["run"]).first()
        if run is None:
            raise CommandError(f"There is no run {options['run']}.")
        return About.run(run)
    action = Action.objects.select_related("tenant").filter(pk=options["action"]).first()
    if action is None:
        raise CommandError(f"There is no action {options['action']}.")
    return About.action(action)


def _as_json(findings: Findings) -> dict[str, Any]:
    return {
        "holds": findings.holds,
        "faults": [{"member": each.member, "sentence": each.sentence} for each in findings.faults],
        "proven": findings.proven,
        "not_proven": findings.open,
    }
