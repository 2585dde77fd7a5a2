"""`manage.py stop`: stop effects or new runs, list what is stopped, and lift it with a second person."""

import json
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from typing import Any

from django.core.exceptions import ObjectDoesNotExist
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from checkpoints import liftings, registry
from checkpoints.errors import RecordError
from checkpoints.models import Combo, Lifting, Stop
from checkpoints.scopes import Lock, Scope
from execution import stopreport
from reconciliation.stopping import stop
from tenants.actors import BY_COMMAND, Actor, Proof
from tenants.management import passwords
from tenants.models import Tenant

HELP = """\
Stop effects, or new runs. Works with Valkey down.

  stop --why "wrong branch"                          effects, everywhere
  stop --tenant acme --why "wrong branch"            effects of one tenant
  stop --tenant acme --tool git.push --why "…"       ... with one tool; or --task-type, --combo
  stop --new-runs --why "flood"                      nobody starts a run; what runs goes on
  stop --list                                        what is stopped, what was out, who lifts it

A stop is lifted by two people, each with the right to operate runs at the tenant (at every
tenant, for a stop of every tenant). The second has half an hour. Each gives their password.

  stop --lift 7 --as ada@example.org --why "repaired" --per-minute 30
  stop --confirm 7 --as bob@example.org
  stop --withdraw 7 --as bob@example.org             the stop stays
"""


class Command(BaseCommand):
    help = HELP

    def create_parser(self, prog_name: str, subcommand: str, **options: Any) -> Any:
        shape = {"formatter_class": RawDescriptionHelpFormatter}
        return super().create_parser(prog_name, subcommand, **{**options, **shape})

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--why", default="", help="the reason, kept in the record")
        parser.add_argument("--tenant", default="", help="slug; without it, every tenant")
        thing = parser.add_mutually_exclusive_group()
        thing.add_argument("--task-type", default="", help="only this task type")
        thing.add_argument("--combo", default="", help="only this combo: how its digest begins")
        thing.add_argument("--tool", default="", help="only this tool")
        parser.add_argument("--new-runs", action="store_true", help="new runs instead of effects")
        verb = parser.add_mutually_exclusive_group()
        verb.add_argument("--list", action="store_true", help="list the stops in force")
        verb.add_argument("--lift", type=int, metavar="ID", help="propose to lift this stop")
        verb.add_argument(
            "--confirm", type=int, metavar="ID", help="confirm that, as a second person"
        )
        verb.add_argument("--withdraw", type=int, metavar="ID", help="withdraw the proposal")
        parser.add_argument("--as", dest="person", default="", help="e-mail of who lifts")
        parser.add_argument(
            "--per-minute",
            type=int,
            default=liftings.USUAL_PER_MINUTE,
            help="how many waiting runs go on a minute after lifting (%(default)s)",
        )
        parser.add_argument("--json", action="store_true", help="say it as JSON")

    def handle(self, *args: object, **options: Any) -> None:
        try:
            told = self._done(options)
        except (ObjectDoesNotExist, RecordError) as error:
            raise CommandError(str(error)) from error
        if options["json"]:
            self.stdout.write(json.dumps(told if options["list"] else told[0], indent=2))
        else:
            said = [line for each in told for line in stopreport.lines(each)]
            self.stdout.write("\n".join(said) or "nothing is stopped")

    def _done(self, options: dict[str, Any]) -> list[dict[str, Any]]:
        if options["list"]:
            return [stopreport.report(each) for each in stopreport.in_force()]
        for name, verb in (("lift", _propose), ("confirm", _confirm), ("withdraw", _withdraw)):
            if options[name] is not None:
                return [stopreport.report(verb(Stop.objects.get(pk=options[name]), options))]
        lock: Lock = "new_runs" if options["new_runs"] else "effects"
        actor = Actor.machine("command line")
        return [stopreport.report(stop(_scope(options), lock, why=options["why"], actor=actor))]


def _propose(standing: Stop, options: dict[str, Any]) -> Stop:
    actor = _who_lifts(options["person"])
    liftings.propose(standing.pk, why=options["why"], per_minute=options["per_minute"], actor=actor)
    return standing


def _confirm(standing: Stop, options: dict[str, Any]) -> Stop:
    return liftings.confirm(_proposal(standing).pk, actor=_who_lifts(options["person"]))


def _withdraw(standing: Stop, options: dict[str, Any]) -> Stop:
    liftings.withdraw(_proposal(standing).pk, actor=_who_lifts(options["person"]))
    return standing


def _proposal(standing: Stop) -> Lifting:
    newest = standing.liftings.order_by("-pk").first()
    if newest is None:
        raise CommandError(f"nobody has proposed to lift stop {standing.pk}: use --lift first")
    return newest


def _who_lifts(email: str) -> Actor:
    """A person who proves it by their password; without a name it is a machine, and is refused."""
    if not email:
        return Actor.machine("command line")
    person = passwords.person(email, instead="lift the stop on its page")
    # The clock of this process, as with the web: judged by the database's, under the lock.
    return Actor.person(person, Proof(BY_COMMAND, timezone.now()))


def _scope(options: dict[str, Any]) -> Scope:
    slug, combo = options["tenant"], options["combo"]
    tenant = Tenant.objects.get(slug=slug) if slug else None
    return Scope(tenant, options["task_type"], _combo(combo) if combo else None, options["tool"])


def _combo(beginning: str) -> Combo:
    try:
        return registry.by_beginning(Combo.objects.all(), beginning)
    except Combo.DoesNotExist as error:
        raise CommandError(f"{error}; give more of the digest") from error
