"""Behind the wall searches and lists begin at their indexes: their conditions leak nothing."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

import pytest
from django.db import connection
from django.utils import timezone

from checkpoints.models import Combo, Event, Run
from execution.pages import finding
from execution.recoveries import duplicates
from execution.recoveries import reading as recoveries
from execution.recoveries.wanted import Wanted
from reconciliation.models import Action
from releases.numbers import subjects
from releases.numbers.subjects import Subject
from tenants import wall
from tenants.models import Tenant
from tenants.trail import reading
from tests.people import make_tenant
from tests.wall.role import as_web

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("web_user")]


# Enough that an index is worth it: made by SQL, because thousands of verbs would take minutes.
MANY: Final = """
SET LOCAL session_replication_role = replica;
INSERT INTO checkpoints_run (id, task_type, mode, business_key, effect_scope, input, input_digest,
        caller, on_behalf_of, channel, status, reason, sentence, stop_reason, head, next_node, fence,
        wakes, attempts, node_failures, cancel_requested_by, combo_id, tenant_id)
    SELECT gen_random_uuid(), 'demo', 'live', 'k' || n, gen_random_uuid(), '', '', '', '', '',
           (ARRAY['queued', 'waiting', 'held'])[1 + n % 3], '', '', '', 0, '', 0, 0, 0, 0, '', 1,
           {0}
      FROM generate_series(1, 5000) AS n;
INSERT INTO reconciliation_action (id, mode, node, ordinal, generation, key, tool,
        tool_schema_digest, acting_credential, describe, target, magnitude, parameters,
        parameters_digest, stands, outcome, because, note, proposed_seq, proposed_at, tenant_id,
        run_id)
    SELECT gen_random_uuid(), 'live', '', 1, 1, int4send(n), 'push', '', '', '', 't' || n, '{{}}', '',
           sha256(''), 'proposed', '', '', '', 1, now() - n * interval '1 s', {0}, gen_random_uuid()
      FROM generate_series(1, 5000) AS n;
INSERT INTO tenants_auditrow (at, actor_kind, actor_id, actor_name, verb, subject, detail, tenant_id)
    SELECT now() - n * interval '1 s', 'machine', '', '', 'verb' || n % 50, 's' || n, '{{}}', {0}
      FROM generate_series(1, 5000) AS n;
INSERT INTO checkpoints_event (run_id, what, actor, detail)
    SELECT id, 'started', '', '{{}}' FROM checkpoints_run;
INSERT INTO checkpoints_case (id, tenant_id, run_id, kind, sentence, facts, fingerprint, closed_because)
    SELECT gen_random_uuid(), {0}, id, 'duplicate_effect', '', '{{}}', '', '' FROM checkpoints_run;
INSERT INTO checkpoints_recovery (run_id, why, interrupted_fence, ended)
    SELECT id, '', 1, '' FROM checkpoints_run;
SET LOCAL session_replication_role = origin;
ANALYZE checkpoints_run; ANALYZE checkpoints_event; ANALYZE reconciliation_action;
ANALYZE tenants_auditrow; ANALYZE checkpoints_case; ANALYZE checkpoints_recovery
"""


@pytest.fixture
def acme() -> Iterator[Tenant]:
    """The one tenant of thousands of rows, shown."""
    tenant = make_tenant()
    with connection.cursor() as cursor:
        cursor.execute(MANY.format(tenant.pk))
        wall.show([tenant.pk], [tenant.pk])
        yield tenant
    wall.show_nothing()


def plan(statement: str, values: Any = None) -> list[Mapping[str, Any]]:
    """The nodes of the plan that the web process' user gets."""
    with as_web(), connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (FORMAT JSON) {statement}", values)
        found = cursor.fetchone()[0]
    tree = json.loads(found) if isinstance(found, str) else found
    return list(nodes(tree[0]["Plan"]))


def nodes(node: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield node
    for each in node.get("Plans", []):
        yield from nodes(each)


def indexed(found: list[Mapping[str, Any]], index: str) -> str:
    """What this index is asked for."""
    asked = [node for node in found if node.get("Index Name") == index]
    assert asked, [node.get("Index Name") or node["Node Type"] for node in found]
    return str(asked[0].get("Index Cond", ""))


def of(query: Any) -> list[Mapping[str, Any]]:
    return plan(*query.query.sql_with_params())


def test_a_business_key_is_looked_up(acme: Tenant) -> None:
    found = of(
        Run.objects.filter(
            tenant=acme, task_type="demo", business_key="k", forked_from=None, mode="live"
        )
    )
    assert "business_key" in indexed(found, "one_live_unforked_run_per_business_key")


def test_a_target_is_looked_up(acme: Tenant) -> None:
    found = of(Action.objects.filter(tenant=acme, target="main"))
    assert "target" in indexed(found, "actions_by_target")


def test_beginnings_are_looked_for_among_the_newest(acme: Tenant) -> None:
    values = {"tenant": acme.pk, "looked_at": 100, "text": "k", "most": 5}
    assert "tenant_id" in indexed(plan(finding.RUNS_BEGINNING, values), "runs_by_tenant_newest")
    actions = plan(finding.ACTIONS_BEGINNING, values)
    assert "tenant_id" in indexed(actions, "actions_by_tenant_newest")


def test_an_arm_of_a_release_is_looked_for_among_the_newest(acme: Tenant) -> None:
    combo, since = Combo(pk=1), timezone.now()
    subject = Subject(acme, "demo", candidate=combo, stable=combo, since=since)
    arm, _ = subjects.arms(subject)
    found = plan(f"{subjects.ARM} SELECT * FROM arm", arm.values(looked_at=100))
    narrowed = indexed(found, "runs_by_tenant_newest")
    assert "tenant_id" in narrowed
    assert "id >=" in narrowed


def test_a_list_begins_at_its_index(acme: Tenant) -> None:
    found = of(Run.objects.filter(tenant=acme, status="queued").order_by("-id")[:50])
    assert "status" in indexed(found, "runs_by_tenant_and_status")


def test_the_trail_is_filtered_by_index(acme: Tenant) -> None:
    wanted = reading.Wanted(verb="verb7")
    found = of(reading._filtered(acme, wanted).order_by("-at", "-audit_id")[:50])
    assert "verb" in indexed(found, "audit_by_verb")


def test_the_setting_is_read_once_for_a_query_and_not_for_each_row(acme: Tenant) -> None:
    found = of(Run.objects.all())
    assert [node["Parent Relationship"] for node in found if "Subplan Name" in node] == ["InitPlan"]


def test_what_hangs_on_a_run_is_found_by_the_run(acme: Tenant) -> None:
    found = of(Event.objects.filter(run_id="01a2288d-88d8-79a3-bc50-edff18cd6bc6"))
    assert "run_id" in indexed(found, "checkpoints_event_any_pkey")


def test_duplicates_are_counted_among_the_newest_effects_and_cases_of_the_tenant(
    acme: Tenant,
) -> None:
    values = newest(acme)
    for statement in (duplicates.EFFECTS, duplicates.STOPPED_BEHIND):
        assert "tenant_id" in indexed(plan(statement, values), "actions_by_tenant_newest")
    for statement in (duplicates.ARRIVED, duplicates.ARRIVED_BEHIND):
        indexed(plan(statement, values), "checkpoints_case_pkey")


def test_recoveries_are_looked_for_among_the_newest(acme: Tenant) -> None:
    for statement in (recoveries.BUCKETS, recoveries.BEHIND):
        indexed(plan(statement, newest(acme)), "checkpoints_recovery_pkey")


def newest(tenant: Tenant) -> dict[str, Any]:
    wanted = Wanted().values(timezone.now())
    return wanted | {"tenant": tenant.pk, "looked_at": 100}
