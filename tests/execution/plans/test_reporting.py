"""One plan over all that a provider's report answers: held or still waiting to ask."""

from datetime import timedelta

import pytest
from django.http import QueryDict
from django.utils import timezone

from checkpoints.models import Case, Run, Verdict
from execution.plans import drafting, sources
from execution.plans.drafting import Draft
from execution.plans.errors import EmptyPlanError
from execution.plans.models import Plan, PlanItem
from reconciliation import ledger
from reconciliation.ledger import Answer
from reconciliation.models import Action, Attempt, Receipt
from reconciliation.reports import keeping
from reconciliation.reports.columns import Columns
from reconciliation.reports.models import Report
from reconciliation.reports.uploads import Upload
from tests.engine.faketools import effects
from tests.engine.turns import Bench
from tests.execution.plans.held import carried, started, totals, unknown
from tests.people import make_tenant

pytestmark = pytest.mark.django_db(transaction=True)


def waiting(engine: Bench) -> Run:
    """A run whose effect arrived, whose answer was lost, and whose tool is silent since."""
    run = engine.start(tool="fake.look_up", what="b")
    engine.turn()
    lost, _silent = engine.fault("drop_answer"), engine.fault("silent")
    engine.decide(run)
    engine.turn()
    lost.unlink()
    run.refresh_from_db()
    assert (run.status, run.reason) == ("waiting", "for_look_up")
    return run


def report(engine: Bench, runs: list[Run]) -> Report:
    """What the provider has: one line for each effect of these runs."""
    [tool] = set(Action.objects.filter(run__in=runs).values_list("tool", flat=True))
    ids = Action.objects.filter(run__in=runs).values_list("pk", flat=True)
    now = timezone.now()
    content = "\n".join(["ref", *map(str, ids)]).encode()
    hour = timedelta(hours=1)
    keeping.map_columns(engine.tenant, tool, Columns("ref"), user=engine.starter)
    upload = Upload(tool, "report.csv", content, now - hour, now + hour)
    return keeping.take_in(engine.tenant, upload, user=engine.starter)[0]


def planned(engine: Bench, by: Report, found: str = "matched", kind: str = "reported") -> Plan:
    """The plan of a report, as its page makes it."""
    query = QueryDict(f"from=report&key={by.pk}&found={found}")
    chosen = sources.chosen(engine.tenant, query)
    terms = {"verdict": "it_did_not"} if kind == "verdict" else {}
    draft = Draft(kind, "the provider says so", chosen.about, chosen.targets, terms, 6_000)
    plan = drafting.draft(engine.tenant, draft, user=engine.starter)
    assert plan.state == "ready"
    return plan


def test_held_runs_go_on_with_the_line_as_evidence_and_nothing_is_sent(engine: Bench) -> None:
    runs = unknown(engine, 3)
    before = effects()
    by = report(engine, runs)
    plan = carried(started(planned(engine, by), engine.starter))
    assert totals(plan) == {"unproven": 3}
    assert set(Action.objects.values_list("outcome", flat=True)) == {"happened"}
    for _ in runs:
        engine.turn()
    assert set(Run.objects.values_list("status", flat=True)) == {"succeeded"}
    assert effects() == before
    for verdict in Verdict.objects.all():
        assert bytes(by.digest).hex() in verdict.evidence
        assert verdict.given_by == engine.starter


def test_a_run_that_waits_to_ask_is_answered_by_the_report_in_a_case(engine: Bench) -> None:
    run = waiting(engine)
    plan = carried(started(planned(engine, report(engine, [run])), engine.starter))
    assert totals(plan) == {"unproven": 1}
    case = Case.objects.get(run=run)
    assert (case.kind, case.decided_at is None) == ("outcome_unknown", False)
    assert Receipt.objects.get().source == "person"
    engine.turn()
    run.refresh_from_db()
    assert (run.status, len(effects())) == ("succeeded", 1)


def test_what_is_known_by_now_is_left_out_and_what_became_known_is_skipped(engine: Bench) -> None:
    first, second = unknown(engine, 2)
    plan = planned(engine, report(engine, [first, second]))
    plan = started(plan, engine.starter)
    with_answer = Attempt.objects.select_related("action__tenant").get(action__run=first)
    found = b'{"action": "x", "what": "a-0"}'
    ledger.record_answer(with_answer, Answer("look_up", found, "happened"), fence=9)
    carried(plan)
    assert totals(plan) == {"skipped": 1, "unproven": 1}
    assert PlanItem.objects.get(plan=plan, run=first).state == "skipped"


def test_what_no_line_has_is_decided_only_when_nothing_can_arrive(engine: Bench) -> None:
    [run] = unknown(engine)
    by = report(engine, [run])
    with pytest.raises(EmptyPlanError):
        planned(engine, by, "absent", "verdict")
    with pytest.raises(EmptyPlanError):
        sources.chosen(engine.tenant, QueryDict(f"from=report&key={by.pk}&found=different"))


def test_a_foreign_tenants_report_is_not_there(engine: Bench) -> None:
    by = report(engine, unknown(engine))
    with pytest.raises(Report.DoesNotExist):
        sources.chosen(make_tenant("other"), QueryDict(f"from=report&key={by.pk}&found=matched"))
