"""Rules against the people of a tenant, before they are used: whoever is asked must be there."""

from collections.abc import Sequence
from typing import Any, Final

from django.contrib.auth.models import Group

from approvals.people import deciders, satisfying
from approvals.rules import Person, Problem, Requirement, Rule, Slot, demand_of, read
from approvals.rules.people import GROUP, NAMED
from approvals.rules.rule import ASK
from tenants import access
from tenants.models import Tenant, User

Json = Any

RIGHTS: Final = (
    "has the rights approve_actions, read_payloads and view_runs at this tenant, and, where the rule"
    " asks to confirm that it is them, a password or second factor here"
)
GIVE: Final = "Give more people the right to decide here, or ask fewer."


def of_tenant(document: Json, tenant: Tenant) -> tuple[list[Problem], list[Problem]]:
    """What the people of a tenant cannot satisfy, whoever starts a run; and what only some make
    impossible by starting it themselves.

    For a document that can be read; raises `UnreadableRulesError` else.
    """
    wrong: list[Problem] = []
    risky: list[Problem] = []
    for index, rule in enumerate(read(document)):
        if rule.then != ASK or not (rule.tenants is None or tenant.slug in rule.tenants):
            continue
        at, demand = f"/rules/{index}", demand_of([rule], "")
        people = deciders.everybody(tenant.pk, demand)
        form = "/quorum/{}/who" if "quorum" in document["rules"][index] else "/who"
        missing = _missing(rule, at + form, people)
        wrong += missing
        if not missing:
            for problem, is_certain in _starters(demand, at, tenant, people):
                (wrong if is_certain else risky).append(problem)
    return wrong, risky


def _missing(rule: Rule, form: str, people: Sequence[Person]) -> list[Problem]:
    """Groups without anybody, and people by name who are not there or may not decide."""
    found: list[Problem] = []
    for index, slot in enumerate(rule.quorum.slots if rule.quorum else ()):
        path = form.format(index)
        if slot.who.kind == GROUP:
            found += _of_group(slot, path, people)
        if slot.who.kind == NAMED:
            found += _of_names(slot, path, people)
    return found


def _of_group(slot: Slot, path: str, people: Sequence[Person]) -> list[Problem]:
    [name] = slot.who.names
    if any(slot.who.fits(person) for person in people):
        return []
    if not Group.objects.filter(name=name).exists():
        said, do = f"There is no group “{name}”.", "Make it, or name another."
    else:
        said = f"Nobody of the group “{name}” may decide here."
        do = f"Put somebody into it who {RIGHTS}."
    return [Problem(f"{path}/group", said, do)]


def _of_names(slot: Slot, path: str, people: Sequence[Person]) -> list[Problem]:
    able = {person.email for person in people}
    missing = [(at, email) for at, email in enumerate(slot.who.names) if email not in able]
    known = dict(
        User.objects.filter(email__in=[email for _, email in missing]).values_list(
            "email", "is_active"
        )
    )
    found = []
    for at, email in missing:
        if email not in known:
            said, do = f"There is nobody called {email}.", "Add them, or name somebody else."
        elif not known[email]:
            said, do = f"{email} is not active.", "Name somebody else."
        else:
            said = f"{email} may not decide here."
            do = f"Name somebody who {RIGHTS}, or see to it that they do."
        found.append(Problem(f"{path}/named/{at}", said, do))
    return found


def _starters(
    demand: Requirement, at: str, tenant: Tenant, people: Sequence[Person]
) -> list[tuple[Problem, bool]]:
    """Whether it can be satisfied when those who may start runs start them: nobody decides about
    their own. The second of each pair says that it is impossible whoever starts."""
    told = satisfying.shortfall(demand, people)
    if told:
        return [(Problem(at, told, GIVE), True)]
    deciding = [person.user_id for person in people]
    starters = access.who_may(tenant.pk, "operate_runs", deciding)
    stuck = {
        person.email: satisfying.shortfall(demand, [p for p in people if p != person])
        for person in people
        if person.user_id in starters
    }
    stuck = {email: said for email, said in stuck.items() if said}
    others = [user for user in access.holders(tenant, "operate_runs") if user.pk not in deciding]
    is_certain = bool(stuck) and len(stuck) == len(starters) and not others
    if is_certain:
        return [(Problem(at, f"Whoever starts a run: {next(iter(stuck.values()))}", GIVE), True)]
    return [
        (Problem(at, f"If {email} starts a run: {said}", GIVE), False)
        for email, said in stuck.items()
    ]
