"""Home counts 100,000 open cases in PostgreSQL, by its index, and reads no more rows than it shows."""

import pytest
from django.db import connection
from pytest_django import DjangoAssertNumQueries

from checkpoints.models import Combo
from execution.problems import overview, reading
from tenants.models import Tenant
from tests.people import make_tenant

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

MANY = 100_000
RUNS = """
INSERT INTO execution_problem (id, tenant_id, fingerprint, kind, task_type, node, tool, error)
SELECT gen_random_uuid(), %(tenant)s, encode(sha256(n::text::bytea), 'hex'), 'outcome_unknown',
       'steps', 'act', 'fake.nothing', n::text FROM generate_series(1, 40) AS n;
"""
COUNTED = """
INSERT INTO execution_problemrun (tenant_id, problem_id, run_id, combo_id, what, currency, amount,
                                  recipients, head, since)
SELECT %(tenant)s, problem.id, gen_random_uuid(), %(combo)s, 'case', 'EUR', n, 1, 1,
       clock_timestamp() - make_interval(secs => n)
  FROM generate_series(1, %(many)s) AS n
  JOIN (SELECT id, row_number() OVER () - 1 AS at FROM execution_problem) AS problem
    ON problem.at = n %% 40
"""


@pytest.fixture
def tenant() -> Tenant:
    made = make_tenant("many")
    with connection.cursor() as cursor:
        cursor.execute("SELECT sha256('{}'::bytea)")
        digest = cursor.fetchone()[0]
        combo = Combo.objects.create(task_type="steps", digest=digest, manifest=b"{}")
        values = {"tenant": made.pk, "combo": combo.pk, "many": MANY}
        cursor.execute(RUNS, values)
        cursor.execute("SET session_replication_role = replica")
        cursor.execute(COUNTED, values)
        cursor.execute("SET session_replication_role = DEFAULT")
        cursor.execute("ANALYZE execution_problemrun")
    return made


def test_a_hundred_thousand_cases_are_counted_in_few_statements(
    tenant: Tenant, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_max_num_queries(16):
        found = overview.overview(tenant, overview.standings(tenant), most=20)
    assert (len(found.lines), found.left_out) == (20, 20)
    assert found.lines[0].standing.all.runs == MANY // 40
    total = sum(each.all.runs for each in reading.standings(tenant))
    assert total == MANY
    money = sum(each.all.money["EUR"] for each in reading.standings(tenant))
    assert money == MANY * (MANY + 1) // 2
