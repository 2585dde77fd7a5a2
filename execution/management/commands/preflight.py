"""`manage.py preflight`: which runs under way the code that is here can go on with, before a deploy."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from checkpoints import registry
from checkpoints.models import Combo, Run
from execution import announcing, preflight, unmanned
from execution.preflight import Preflight
from tenants.models import Tenant


class Command(BaseCommand):
    help = (
        "Tell which paused runs this code can read and go on with; exit 1 when it cannot with one."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--agents", default="", help="judge the code of this module instead of KEDGE_AGENTS"
        )
        parser.add_argument("--tenant", default="", help="slug; without it, every tenant")

    def handle(self, *arguments: Any, **options: Any) -> None:
        runs = Run.objects.all()
        if options["tenant"]:
            runs = runs.filter(tenant=Tenant.objects.get(slug=options["tenant"]))
        module = options["agents"] or settings.KEDGE_AGENTS
        try:
            with registry.instead(module):
                found = preflight.look(runs)
        except ImportError as error:
            raise CommandError(f"there are no agents in {module}: {error}") from error
        self._tell(found)
        if found.cannot:
            raise CommandError(
                f"this code cannot go on with {len(found.cannot)} of the paused runs"
            )

    def _tell(self, found: Preflight) -> None:
        end = f"; {len(found.cannot)} cannot:" if found.cannot else "."
        self.stdout.write(f"{found.can} of {found.all} paused runs can go on{end}")
        for run, why in found.cannot:
            named = f"{run.tenant.slug}/{run.business_key}"
            self.stdout.write(f"  {run.pk}  {named} ({run.status}, {run.next_node}): {why}")
        for combo_id, n in found.blocked.most_common():
            self._keep(
                found.combos[combo_id],
                f"{n} of those are blocked by version, and go on under their own combo",
            )
        for combo_id, n in found.pinned.most_common():
            self._keep(
                found.combos[combo_id], f"{n} of those it can read have other code, of combo"
            )

    def _keep(self, combo: Combo, said: str) -> None:
        code = announcing.code_of(combo)
        until = "until they have ended or are moved"
        self.stdout.write(f"{said} {combo}: keep a worker of code {code[:12]} {until}.")
        if code not in announcing.alive():
            self.stdout.write(f"  {unmanned.sentence(combo)}")
