"""The people a request asks: what rules need to know of them, and who of them has said yes."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final
from uuid import UUID

from approvals import locks
from approvals.models import ApprovalRequest
from approvals.rules import Person, Requirement
from approvals.rules.classes import IRREVERSIBLE
from approvals.rules.people import DECIDING, GROUP, PERMISSION
from tenants import access
from tenants.database import Rows, Statement, execute
from tenants.models import User
from tenants.signin import proofs

# Relies on one_decision_per_person_and_request; what was taken back does not count.
YES = """
SELECT person.id, lower(person.email), {may} FROM approvals_decision AS decision
  JOIN tenants_user AS person ON person.id = decision.user_id
 WHERE decision.request_id = {request} AND decision.verdict = 'approve'
   AND NOT EXISTS (SELECT 1 FROM approvals_takenback WHERE decision_id = decision.id)
 ORDER BY decision.at, decision.id
"""
YES_TO = YES.format(may=access.MAY, request="%(request)s")
YES_TO_LATEST = YES.format(may=access.MAY, request=f"({locks.LATEST_ID})")

# Relies on the unique key (user, group). A group's name is unique in the whole installation.
MEMBERS = """
SELECT member.user_id, shared.name FROM tenants_user_groups AS member
  JOIN auth_group AS shared ON shared.id = member.group_id
 WHERE member.user_id = ANY(%(people)s) AND shared.name = ANY(%(names)s)
"""

# Index: guardian's unique keys, by tenant and right. Bounded by `most`.
ABLE = """
WITH needed AS (
    SELECT permission.id, permission.codename FROM auth_permission AS permission
      JOIN django_content_type AS kind ON kind.id = permission.content_type_id
     WHERE kind.app_label = 'tenants' AND kind.model = 'tenant'
       AND permission.codename = ANY(%(codenames)s)
), deciding AS (
    SELECT id FROM needed WHERE codename = %(codename)s
)
SELECT person.id, lower(person.email) FROM tenants_user AS person
 WHERE person.is_active AND person.kind = 'person'
   AND person.id IS DISTINCT FROM %(starter)s::bigint AND lower(person.email) <> %(behalf)s
   AND person.id IN (
       SELECT own.user_id FROM tenants_tenantuserobjectpermission AS own
        WHERE own.content_object_id = %(tenant)s
          AND own.permission_id = (SELECT id FROM deciding)
        UNION
       SELECT member.user_id FROM tenants_tenantgroupobjectpermission AS shared
         JOIN tenants_user_groups AS member ON member.group_id = shared.group_id
        WHERE shared.content_object_id = %(tenant)s
          AND shared.permission_id = (SELECT id FROM deciding))
   AND NOT EXISTS (
       SELECT 1 FROM needed
        WHERE NOT EXISTS (
              SELECT 1 FROM tenants_tenantuserobjectpermission AS own
               WHERE own.content_object_id = %(tenant)s AND own.user_id = person.id
                 AND own.permission_id = needed.id)
          AND NOT EXISTS (
              SELECT 1 FROM tenants_tenantgroupobjectpermission AS shared
                JOIN tenants_user_groups AS member ON member.group_id = shared.group_id
               WHERE shared.content_object_id = %(tenant)s AND member.user_id = person.id
                 AND shared.permission_id = needed.id))
 ORDER BY person.id LIMIT %(most)s
"""
MOST_ABLE = 10_000
# Nobody decides about what they may not see.
SEEING: Final = ("view_runs", "read_payloads")


def yes(request: ApprovalRequest, requirement: Requirement) -> list[Person]:
    """Whose yes counts now, first yes first: given, not taken back, and still asked for."""
    values = {"request": request.pk, "tenant": request.tenant_id, "codename": DECIDING}
    return counted(request, requirement, execute(YES_TO, values))


def given(action_id: UUID, tenant_id: int) -> Statement:
    """Who has said yes to the newest request of an action, and may decide now: for `counted`."""
    return YES_TO_LATEST, {"action": action_id, "tenant": tenant_id, "codename": DECIDING}


def counted(request: ApprovalRequest, requirement: Requirement, said_yes: Rows) -> list[Person]:
    """Those of `given` whose yes counts. Asks no more when the requirement is the plain one."""
    strangers = [row for row in said_yes if not is_own(request, user_id=row[0], email=row[1])]
    if requirement.quorums:
        people = known(request.tenant_id, requirement, [row[:2] for row in strangers])
    else:
        people = [
            Person(user_id, email, frozenset((DECIDING,) if may else ()))
            for user_id, email, may in strangers
        ]
    return [person for person in people if requirement.counts(person)]


def asked(request: ApprovalRequest, requirement: Requirement) -> list[User]:
    """The active people whose yes is asked for: they may see and decide it, and have no hand in the
    run; oldest first. With `provable` of them `decisions.decide` takes a yes now."""
    holders = access.holders(request.tenant, requirement.permission)
    users = [user for user in holders if not is_own(request, user_id=user.pk, email=user.email)]
    for codename in SEEING:
        seeing = access.who_may(request.tenant_id, codename, [user.pk for user in users])
        users = [user for user in users if user.pk in seeing]
    if not requirement.quorums:
        return users
    people = of_users(request.tenant_id, requirement, users)
    counted = {person.user_id for person in people if requirement.counts(person)}
    return [user for user in users if user.pk in counted]


def provable(requirement: Requirement, users: Sequence[User]) -> list[User]:
    """Those of these people who can show that it is them, where a yes takes that."""
    if not needs_proof(requirement):
        return list(users)
    able_to = proofs.who_can([user.pk for user in users])
    return [user for user in users if user.pk in able_to]


def needs_proof(requirement: Requirement) -> bool:
    """True if a yes takes a proof: a rule asks for it, or the tenant calls the tool irreversible."""
    return requirement.reauthenticate or requirement.reversibility == IRREVERSIBLE


def able(
    tenant_id: int, requirement: Requirement, *, starter_id: int | None, on_behalf_of: str
) -> list[Person]:
    """Who may see and decide here and has no hand in a run, before anybody is asked.

    Also who has nothing yet to show that it is them: a question waits while they add it.
    One prepared statement for a plain demand, of which no more people are read than it takes.
    """
    values = {
        "tenant": tenant_id,
        "codename": requirement.permission,
        "codenames": [requirement.permission, *SEEING],
        "starter": starter_id,
        "behalf": on_behalf_of.strip().lower(),
        "most": MOST_ABLE if requirement.quorums else requirement.approvers,
    }
    found = execute(ABLE, values)
    if requirement.quorums:
        return known(tenant_id, requirement, found)
    return [Person(user_id, email, frozenset((DECIDING,))) for user_id, email in found]


def everybody(tenant_id: int, requirement: Requirement) -> list[Person]:
    """All who may decide at a tenant, whatever they start, and can prove it where a rule asks."""
    whole = replace(requirement, quorums=requirement.parts())
    found = able(tenant_id, whole, starter_id=None, on_behalf_of="")
    if not requirement.reauthenticate:
        return found
    able_to = proofs.who_can([person.user_id for person in found])
    return [person for person in found if person.user_id in able_to]


def of_users(tenant_id: int, requirement: Requirement, users: Iterable[User]) -> list[Person]:
    """The same people as the rules know them."""
    return known(tenant_id, requirement, [(user.pk, user.email) for user in users])


def known(
    tenant_id: int, requirement: Requirement, people: Iterable[tuple[int, str]]
) -> list[Person]:
    """People (id, e-mail) with the rights and groups that the requirement names, right now."""
    emails = {user_id: email.lower() for user_id, email in people}
    rights = {
        codename: access.who_may(tenant_id, codename, emails)
        for codename in dict.fromkeys((DECIDING, *requirement.names(PERMISSION)))
    }
    groups = _members(requirement.names(GROUP), list(emails))
    return [
        Person(
            user_id,
            email,
            rights=frozenset(name for name, holders in rights.items() if user_id in holders),
            groups=frozenset(groups.get(user_id, ())),
        )
        for user_id, email in emails.items()
    ]


def is_own(request: ApprovalRequest, *, user_id: int, email: str) -> bool:
    """True if the person started the run, or it works on their behalf (named by e-mail)."""
    return request.starter_id == user_id or request.on_behalf_of.strip().lower() == email.lower()


def _members(names: tuple[str, ...], people: list[int]) -> dict[int, set[str]]:
    found: dict[int, set[str]] = {}
    if names and people:
        for user_id, name in execute(MEMBERS, {"people": people, "names": list(names)}):
            found.setdefault(user_id, set()).add(name)
    return found
