"""`manage.py plan`: list and show saved plans; start and stop one, as a person."""

from argparse import ArgumentParser, RawDescriptionHelpFormatter
from typing import Any

from django.core.exceptions import ObjectDoesNotExist, PermissionDenied
from django.core.management.base import BaseCommand, CommandError

from checkpoints.errors import RecordError
from execution.plans import ordering, sizes, states
from execution.plans.models import Plan
from execution.plans.ordering import Order
from execution.plans.pages import telling
from tenants.management import passwords

NEWEST = 50
HELP = """\
Saved plans: exact runs or effects, reviewed on their page, carried out by the sweeper.

  plan list [--tenant acme]          the newest, with where each stands
  plan show acme 12                  what it does, its classes, what is left out, its digest
  plan start acme 12 --as ada@example.org --digest 3fa9… [--number 1400] [--per-minute 600]
  plan stop acme 12 --as ada@example.org

Starting takes the digest that `show` or the page says, and above 100 the number of runs. Whoever
starts or stops gives their password.
"""


class Command(BaseCommand):
    help = HELP

    def create_parser(self, prog_name: str, subcommand: str, **options: Any) -> Any:
        shape = {"formatter_class": RawDescriptionHelpFormatter}
        return super().create_parser(prog_name, subcommand, **{**options, **shape})

    def add_arguments(self, parser: ArgumentParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True)
        verbs.add_parser("list").add_argument("--tenant", default="", help="slug")
        for name in ("show", "start", "stop"):
            verb = verbs.add_parser(name)
            verb.add_argument("tenant", help="slug")
            verb.add_argument("number", type=int, help="12 for P-12")
            if name != "show":
                verb.add_argument(
                    "--as", dest="person", required=True, help="e-mail of who says so"
                )
            if name == "start":
                verb.add_argument("--digest", required=True, help="of what was reviewed")
                verb.add_argument("--number", dest="typed", type=int, help="of runs, above 100")
                verb.add_argument("--per-minute", type=int, help="another rate")

    def handle(self, *args: object, **options: Any) -> None:
        try:
            lines = VERBS[options["verb"]](options)
        except ObjectDoesNotExist as error:
            raise CommandError("there is no such plan") from error
        except (RecordError, PermissionDenied) as error:
            raise CommandError(_sentence(error)) from error
        self.stdout.write("\n".join(lines))


def _list(options: dict[str, Any]) -> list[str]:
    found = Plan.objects.select_related("tenant").order_by("-drafted_at")
    found = found.filter(tenant__slug=options["tenant"]) if options["tenant"] else found
    return [_line(plan) for plan in found[:NEWEST]] or ["there are no plans"]


def _show(options: dict[str, Any]) -> list[str]:
    plan = _plan(options)
    lines = [_line(plan), f"{plan.about}; why: {plan.why}", f"digest {plan.digest or '(none yet)'}"]
    lines += [f"  {sentence}" for sentence in telling.foreseen(plan)]
    for state in states.ITEM_STATES:
        for each in telling.classes(plan, state, sizes.by_class(plan, state)):
            lines.append(f"  {each.count} {telling.RESULTS[state]}: {each.words}")
            lines += [f"    {row.item.run_id} {row.text}" for row in each.samples]
    if plan.needs_second:
        lines.append(f"takes a second person: {plan.needs_second}")
    return lines


def _start(options: dict[str, Any]) -> list[str]:
    plan, user = _plan(options), _who(options)
    order = Order(options["digest"], options["typed"], options["per_minute"])
    return [_line(ordering.start(plan.pk, order, user=user))]


def _stop(options: dict[str, Any]) -> list[str]:
    plan, user = _plan(options), _who(options)
    return [_line(ordering.stop(plan.pk, Order(plan.digest), user=user))]


def _who(options: dict[str, Any]) -> Any:
    return passwords.person(options["person"], instead="use the page of the plan")


def _plan(options: dict[str, Any]) -> Plan:
    named = {"tenant__slug": options["tenant"], "number": options["number"]}
    return Plan.objects.select_related("tenant").get(**named)


def _line(plan: Plan) -> str:
    told = f"{plan.tenant.slug} {plan} {plan.state}: {telling.sentence(plan)}."
    counted = {name: getattr(plan, name) for name in (*states.RESULTS, "planned", "left_out")}
    numbers = ", ".join(f"{n} {telling.RESULTS[name]}" for name, n in counted.items() if n)
    return f"{told} {telling.progress(plan)} {numbers}"


def _sentence(error: Exception) -> str:
    told = (type(error).__doc__ or "").split("\n\n")[0].strip()
    return f"{told} {error}".strip() if str(error) != told else told


VERBS = {"list": _list, "show": _show, "start": _start, "stop": _stop}
