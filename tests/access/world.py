"""A tenant with one of everything that an address can name, made by the verbs that make it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

from allauth.mfa.models import Authenticator
from django.conf import settings
from django.db.models import Model
from django.test import Client
from django.utils import timezone

from approvals import batches
from approvals.batches import Answer
from approvals.models import ApprovalRequest, Batch, HandOver
from approvals.people import handovers
from approvals.rules import Requirement
from canonical import json as canonical
from checkpoints import fingerprints, liftings
from checkpoints.models import Case, Combo, Lifting, ProposedVerdict, Run, Verdict
from execution.alerts import keeping as alerts
from execution.plans.drafting import Draft, Target, draft
from execution.plans.models import Plan
from execution.problems import changing
from execution.problems.models import Problem
from reconciliation import stopping
from reconciliation.behind.models import Divergence, MissingLine
from reconciliation.credentials import keeping
from reconciliation.credentials.keeping import Noted
from reconciliation.models import Action
from reconciliation.reports import keeping as reports
from reconciliation.reports.columns import Columns
from reconciliation.reports.models import Report
from reconciliation.reports.uploads import Upload
from tenants.access import grant
from tenants.actors import Actor
from tenants.models import Tenant, User
from tenants.signin.links import make_link
from tests.access import released
from tests.access.table import PERSONAS
from tests.approvals.asking import git_diff, question
from tests.approvals.edits.rows import bare_edit
from tests.approvals.looking.lookers import LOOKED_AT, look_at, remark
from tests.approvals.questions import ONE, ask, make_run
from tests.checkpoints.lifts import proved
from tests.engine.turns import Bench
from tests.people import make_tenant
from tests.reconciliation.deskwork import held
from tests.secrecy.registry import GIVEN

TOOL = "careless"
People = Mapping[str, User]


@dataclass(frozen=True)
class World:
    """A tenant, who belongs to it by persona, and the sample of every name in an address.

    `marks` are texts that stand on its pages and that nobody else may read; `sessions` are the
    cookies of its people.
    """

    tenant: Tenant
    people: People
    names: Mapping[str, Any]
    marks: tuple[str, ...]
    sessions: Mapping[str, str]

    @property
    def slug(self) -> str:
        return self.tenant.slug


def make(slug: str, folder: Path) -> World:
    """The world of one tenant. Its people have their addresses at its name."""
    tenant = make_tenant(slug)
    people = {name: person(slug, name, tenant, rights) for name, rights in PERSONAS.items()}
    run, action = _careless(Bench(tenant, people["operator"], people["approver"], folder))
    asked = _asked(tenant, people, "open", LOOKED_AT)
    look = look_at(asked, remark("facts", "describes"))
    handed = _hand_over(asked, people)
    batch = _batch(tenant, people, _asked(tenant, people, "batched"))
    case = held(tenant, "crash_loop", _run(tenant, people, "held"))
    edited = held(tenant, "crash_loop", _run(tenant, people, "edited"))
    _credential(tenant, people)
    lifting = _lifting(tenant, people)
    found: dict[str, Model] = {
        "run_id": run,
        "action_id": action,
        "whose": run,
        "request_id": asked,
        "hand_over_id": handed,
        "look_id": look,
        "batch_id": batch,
        "case_id": case,
        "verdict_id": _earlier_verdict(case, people["operator"]),
        "proposal_id": _proposal(case, people["operator"]),
        "rule_id": alerts.make(tenant, alerts.Wanted("runs", 5), user=people["manager"]),
        "report_id": _report(tenant, people["operator"]),
        "edit_id": bare_edit(edited, people["operator"]),
        "stop_id": lifting.stop,
        "lifting_id": lifting,
        "line_id": _missing(tenant, lifting),
        "pk": passkey(person(slug, "keyholder", tenant, ())),
    }
    names = {name: thing.pk for name, thing in found.items()}
    names["fingerprint"] = _problem(tenant).fingerprint
    names["digest"], names["other"] = (_combo(tenant, people, each) for each in ("old", "new"))
    names["number"] = _plan(tenant, people, case.run_id).number
    release = released.release(tenant, people["manager"], names["number"])
    names["twin_id"] = released.twin(release)
    names["effect"] = released.rollback(release, people["manager"], action).pk
    token = make_link(people["viewer"], actor=Actor.machine("test"))
    return World(
        tenant=tenant,
        people=people,
        names={**names, "tenant": slug, "token": token},
        marks=(*_marks(slug), *_ids(found)),
        sessions={name: session(user) for name, user in people.items()},
    )


def person(
    domain: str, name: str, tenant: Tenant | None = None, rights: tuple[str, ...] = ()
) -> User:
    """Somebody with a password, and with these rights at the tenant."""
    email = f"{name}@{domain}.example"
    user = User.objects.create_user(email, password=f"the-{name}-of-{domain}", name=name.title())
    if tenant is not None:
        grant(tenant, user, *rights)
    return user


def session(user: User) -> str:
    """The cookie of a session of this person, who proved nothing lately."""
    client = Client()
    client.force_login(user)
    return client.cookies[settings.SESSION_COOKIE_NAME].value


def key(slug: str, what: str) -> str:
    """The business key of a run of this tenant."""
    return f"{slug}-key-{what}"


def more(world: World) -> None:
    """One more of what lists count: a run, a question, a case."""
    _asked(world.tenant, world.people, uuid4().hex)
    held(world.tenant, "crash_loop", _run(world.tenant, world.people, uuid4().hex))


def _earlier_verdict(case: Case, user: User) -> Verdict:
    return Verdict.objects.create(case=case, verdict="try_again", reason="Once.", given_by=user)


def _proposal(case: Case, user: User) -> ProposedVerdict:
    return ProposedVerdict.objects.create(
        case=case, verdict="try_again", reason="Again.", terms="t", state="s", proposed_by=user
    )


def passkey(user: User) -> Authenticator:
    """A passkey that nobody can use; `pk` in an address."""
    data = {"name": "A key", "passwordless": True, "credential": {}}
    return Authenticator.objects.create(user=user, type=Authenticator.Type.WEBAUTHN, data=data)


def _marks(slug: str) -> tuple[str, ...]:
    return (f"{slug}-key-", f"{slug}-target", f"{slug}-describes", f"{slug}-account", f"@{slug}.")


def _ids(found: Mapping[str, Model]) -> tuple[str, ...]:
    return tuple(str(thing.pk) for thing in found.values() if len(str(thing.pk)) > 9)


def _missing(tenant: Tenant, lifting: Lifting) -> MissingLine:
    """A line that the record lacked once, of a run that is lost."""
    now = timezone.now()
    over = Divergence.objects.create(
        stop=lifting.stop, noticed_by="test", ended_at=now, ended_by="test"
    )
    return MissingLine.objects.create(
        divergence=over,
        tenant=tenant,
        attempt_id=uuid4(),
        run_id=uuid4(),
        action_id=uuid4(),
        tool=TOOL,
        target=f"{tenant.slug}-target",
        sent_at=now,
        line={},
        lacks="run",
    )


def _careless(bench: Bench) -> tuple[Run, Action]:
    """A run with checkpoints and encrypted fields, whose effect waits for a yes."""
    run = bench.start("careless", **GIVEN)
    bench.turn()
    Run.objects.filter(pk=run.pk).update(business_key=key(bench.tenant.slug, "careless"))
    return run, Action.objects.get(run=run)


def _problem(tenant: Tenant) -> Problem:
    """A problem that only this tenant has."""
    alike = {"kind": "stuck", "task_type": tenant.slug, "node": "", "tool": "", "error": ""}
    fingerprint = fingerprints.of("stuck", task_type=tenant.slug, node="")
    return changing.kept(Problem(tenant=tenant, fingerprint=fingerprint, **alike))


def _run(tenant: Tenant, people: People, what: str, **columns: Any) -> Run:
    return make_run(
        tenant,
        started_by=people["operator"],
        business_key=key(tenant.slug, what),
        channel="page",
        **columns,
    )


def _combo(tenant: Tenant, people: People, what: str) -> str:
    """A combo that only a run of this tenant uses, of code that nobody has here."""
    manifest = canonical.dumps({"task_type": "demo", "code": f"{tenant.slug} {what}"})
    digest = sha256(manifest).digest()
    combo = Combo.objects.create(task_type="demo", digest=digest, manifest=manifest)
    _run(tenant, people, f"of the {what} combo", combo=combo)
    return digest.hex()


def _plan(tenant: Tenant, people: People, run_id: UUID) -> Plan:
    wanted = Draft("try_again", "repaired", "a run", [Target(run_id)])
    return draft(tenant, wanted, user=people["operator"])


def _asked(
    tenant: Tenant, people: People, what: str, requirement: Requirement = ONE
) -> ApprovalRequest:
    return ask(
        question(
            _run(tenant, people, what),
            git_diff(3),
            describe=f"{tenant.slug}-describes {what}",
            target=f"{tenant.slug}-target",
            requirement=requirement,
        )
    )


def _hand_over(asked: ApprovalRequest, people: People) -> HandOver:
    giver = people["approver"]
    return handovers.hand_over(
        asked.pk, actor=Actor.person(giver), user=giver, colleague=people["manager"], note="Please."
    )


def _batch(tenant: Tenant, people: People, asked: ApprovalRequest) -> Batch:
    user = people["approver"]
    answer = Answer([(asked.pk, asked.action_hash)], "reject", "No.", uuid4())
    return batches.decide_all(answer, tenant=tenant, actor=Actor.person(user), user=user)


def _report(tenant: Tenant, user: User) -> Report:
    """A report of a provider, with a line that nobody here asked for."""
    reports.map_columns(tenant, TOOL, Columns("ref"), user=user)
    now = timezone.now()
    upload = Upload(TOOL, "report.csv", b"ref\nx\n", now - timedelta(hours=1), now)
    return reports.take_in(tenant, upload, user=user)[0]


def _credential(tenant: Tenant, people: People) -> None:
    noted = Noted(f"{tenant.slug}-account", "env:CARELESS_TOKEN", "3", None)
    keeping.note(tenant, TOOL, noted, owner=people["manager"], user=people["manager"])


def _lifting(tenant: Tenant, people: People) -> Any:
    operator = proved(people["operator"])
    stop = stopping.stop(tenant, "new_runs", why="wrong", actor=operator)
    return liftings.propose(stop.pk, why="over", per_minute=6, actor=operator)
