"""Cases and actions as pages show them, made by real turns of the engine with fake tools."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from uuid import uuid4

from django.db import connection, transaction
from django.db.models.functions import Now
from django.test import Client

from canonical.redaction import Fact, ours
from checkpoints import cases
from checkpoints.cases import Trouble
from checkpoints.models import Case, Run
from reconciliation.models import Action, Attempt
from tenants.actors import Actor
from tenants.keys import hiding
from tenants.models import Tenant, User
from tests.approvals.questions import make_run
from tests.engine.turns import Bench

ENGINE = Actor.machine("worker")


def unknown_mail(engine: Bench) -> Case:
    """A run held because its effect was sent and nobody knows what became of it."""
    run = engine.start(tool="fake.nothing", what="a")
    engine.turn()
    lost = engine.fault("drop_answer")
    engine.decide(run)
    engine.turn()
    lost.unlink()
    return Case.objects.get(run=run)


def past_window(case: Case) -> None:
    """Let the window of a late arrival be over, with the guard on intents switched off."""
    with guards_off():
        Attempt.objects.filter(action__run=case.run_id).update(
            deadline_at=Now() - timedelta(hours=1)
        )


def with_tool(case: Case, tool: str) -> None:
    """Let the effect of a case be one of another tool, with the guard on proposals off."""
    with guards_off():
        Action.objects.filter(run=case.run_id).update(tool=tool)


@contextmanager
def guards_off() -> Iterator[None]:
    """Triggers do not fire in here: for what no verb can do."""
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")
        try:
            yield
        finally:
            cursor.execute("SET session_replication_role = origin")


def held(tenant: Tenant, kind: str, run: Run | None = None, **facts: Fact) -> Case:
    """A run (a fresh one unless given) on hold, with a case of this kind."""
    run = run or make_run(tenant, business_key=uuid4().hex)
    told = {"error": ours("what happened"), **facts}
    trouble = Trouble(kind, hiding.text(f"The sentence of {kind}."), told)
    with transaction.atomic():
        case = cases.open_case(tenant.pk, run.pk, trouble, actor=ENGINE)
        Run.objects.filter(pk=run.pk).update(
            status="held", reason=kind, sentence=trouble.sentence, due_at=None
        )
    return Case.objects.get(pk=case.pk)


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client
