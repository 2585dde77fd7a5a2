"""Reports taken in: what is kept, what stands on each line, and that nothing follows by itself."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from checkpoints.models import Case, Run, Verdict
from reconciliation.models import Action
from reconciliation.reports import effects, keeping, uploads
from reconciliation.reports.columns import MINOR, Columns
from reconciliation.reports.errors import ReportRefusedError
from reconciliation.reports.models import ColumnMap, Report, ReportLine
from reconciliation.reports.uploads import Upload
from tenants.errors import Denied
from tenants.models import AuditRow
from tests import people
from tests.engine.faketools import effects as arrived
from tests.engine.turns import Bench
from tests.reconciliation.deskwork import guards_off, past_window, unknown_mail

pytestmark = pytest.mark.django_db
TOOL = "fake.nothing"
BY_REFERENCE = Columns("ref")
CHANGES = [
    statement
    for table in ("columnmap", "report", "reportline")
    for statement in (
        f"UPDATE reconciliation_{table} SET id = id",
        f"DELETE FROM reconciliation_{table}",
    )
]


def mapped(engine: Bench, columns: Columns = BY_REFERENCE) -> ColumnMap:
    return keeping.map_columns(engine.tenant, TOOL, columns, user=engine.starter)


def upload(content: str, **more: Any) -> Upload:
    now = timezone.now()
    usual = {"since": now - timedelta(hours=1), "until": now + timedelta(hours=1)}
    return Upload(TOOL, "report.csv", content.encode(), **usual | more)


def take_in(engine: Bench, content: str, **more: Any) -> Report:
    report, _ = keeping.take_in(engine.tenant, upload(content, **more), user=engine.starter)
    return report


def action_of(case: Case) -> Action:
    return Action.objects.get(run_id=case.run_id)


def test_a_line_that_has_the_effect_answers_and_nothing_follows_by_itself(engine: Bench) -> None:
    case = unknown_mail(engine)
    mapped(engine)
    report = take_in(engine, f"ref\n{case.action_id}\nelsewhere-1\n")
    assert (report.number, report.lines, report.matched, report.unknown_to_us) == (1, 2, 1, 1)
    line = ReportLine.objects.get(report=report, kind="matched")
    assert (line.number, line.action_id, line.answers) == (2, case.action_id, True)
    assert ReportLine.objects.get(report=report, kind="unknown_to_us").action is None
    assert (action_of(case).stands, Run.objects.get().status) == ("dispatched", "held")
    assert not Verdict.objects.exists()
    assert len(arrived()) == 1


def test_what_no_line_names_is_absent_once_nothing_can_arrive(engine: Bench) -> None:
    case = unknown_mail(engine)
    mapped(engine)
    before = timezone.now() - timedelta(hours=1)
    assert take_in(engine, "ref\nx\n", since=before, until=timezone.now()).absent == 0
    past_window(case)
    report = take_in(engine, "ref\nx\n", since=before, until=timezone.now())
    assert report.absent == 1
    line = ReportLine.objects.get(report=report, kind="absent")
    assert (line.number, line.action_id, line.answers) == (0, case.action_id, False)


def test_lines_and_sums_add_up_by_constraint(engine: Bench) -> None:
    mapped(engine, Columns("ref", "cents", unit=MINOR, only_currency="EUR"))
    report = take_in(engine, "ref,cents\na,100\nb,-250\nc,many\n,5\n")
    assert (report.lines, report.unknown_to_us, report.unreadable) == (4, 2, 2)
    assert report.sums == {"unknown_to_us": {"EUR": 350}}
    said = ReportLine.objects.filter(report=report, kind="unreadable").order_by("number")
    assert [line.said for line in said] == ["'cents' is no plain number.", "'ref' is empty."]
    report.pk, report.number, report.lines = None, 2, 5
    one_kind = "every_line_of_a_report_is_of_one_kind"
    with pytest.raises(IntegrityError, match=one_kind), transaction.atomic():
        report.save(force_insert=True)


def test_the_file_is_kept_encrypted_and_comes_back_byte_for_byte(engine: Bench) -> None:
    mapped(engine)
    content = "ref,customer\nx,Ada Lovelace of 8812\n"
    report = take_in(engine, content)
    assert b"Lovelace" not in bytes(report.content)
    assert keeping.opened(report) == content.encode()
    assert (report.size, report.media) == (len(content), "text/csv")


def test_nothing_of_the_providers_own_words_stands_in_the_clear(engine: Bench) -> None:
    mapped(engine, Columns("ref", "amount", status="status", done=("paid",)))
    take_in(engine, "ref,amount,status\nAda Lovelace,Ada,Ada\nAda Lovelace,1,Ada\n")
    kept = [*Report.objects.values_list(), *ReportLine.objects.values_list()]
    assert "Ada" not in repr(kept)


def test_the_same_file_read_the_same_way_is_one_report(engine: Bench) -> None:
    mapped(engine)
    given = upload("ref\nx\n")
    first, created = keeping.take_in(engine.tenant, given, user=engine.starter)
    again, created_again = keeping.take_in(engine.tenant, given, user=engine.starter)
    assert (first, created, created_again) == (again, True, False)
    mapped(engine, Columns("ref", done=(), only_currency="EUR"))
    other, created = keeping.take_in(engine.tenant, given, user=engine.starter)
    assert (created, other.number) == (True, 2)


def test_columns_are_mapped_once_and_the_newest_mapping_counts(engine: Bench) -> None:
    first = mapped(engine)
    assert mapped(engine) == first
    second = mapped(engine, Columns("id"))
    assert keeping.columns_of(engine.tenant, TOOL) == second
    assert ColumnMap.objects.count() == 2
    assert AuditRow.objects.filter(verb="map_report_columns").count() == 2


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("id\nx\n", "has no column 'ref'"),
        ("ref\n", "no line below"),
    ],
)
def test_what_cannot_be_read_is_refused_and_nothing_is_kept(
    engine: Bench, content: str, said: str
) -> None:
    mapped(engine)
    with pytest.raises(ReportRefusedError, match=said):
        take_in(engine, content)
    assert not Report.objects.exists()


def test_a_tool_whose_columns_nobody_mapped_is_refused(engine: Bench) -> None:
    with pytest.raises(ReportRefusedError, match=f"how reports of {TOOL} are read"):
        take_in(engine, "ref\nx\n")


def test_a_period_that_ends_before_it_begins_is_refused(engine: Bench) -> None:
    mapped(engine)
    now = timezone.now()
    with pytest.raises(ReportRefusedError, match="exchange"):
        take_in(engine, "ref\nx\n", since=now, until=now - timedelta(days=1))


def test_a_period_with_too_many_effects_is_refused(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    unknown_mail(engine)
    mapped(engine)
    monkeypatch.setattr(effects, "MOST_EFFECTS", 0)
    with pytest.raises(ReportRefusedError, match="Give a shorter one"):
        take_in(engine, "ref\nx\n")


def test_who_may_not_reconcile_takes_nothing_in(engine: Bench) -> None:
    mapped(engine)
    viewer = people.bob(engine.tenant)
    with pytest.raises(Denied):
        keeping.take_in(engine.tenant, upload("ref\nx\n"), user=viewer)
    with pytest.raises(Denied):
        keeping.map_columns(engine.tenant, TOOL, Columns("id"), user=viewer)
    assert not Report.objects.exists()


def test_a_foreign_tenants_effect_is_unknown_to_us(engine: Bench) -> None:
    case = unknown_mail(engine)
    other = people.make_tenant("other")
    eve = people.eve(other)
    keeping.map_columns(other, TOOL, Columns("ref"), user=eve)
    report, _ = keeping.take_in(other, upload(f"ref\n{case.action_id}\n"), user=eve)
    assert (report.matched, report.unknown_to_us, report.absent) == (0, 1, 0)
    with pytest.raises(IntegrityError, match="another tenant or tool"), transaction.atomic():
        ReportLine.objects.create(
            report=report, number=3, kind="matched", action_id=case.action_id, said="x"
        )


def test_what_was_found_is_only_ever_added(engine: Bench) -> None:
    mapped(engine)
    take_in(engine, "ref\nx\n")
    for statement in CHANGES:
        refused = pytest.raises(IntegrityError, match="only ever added")
        with refused, transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)


def test_who_may_not_reconcile_lays_nothing_down(engine: Bench) -> None:
    with pytest.raises(Denied):
        uploads.lay_down(engine.tenant, upload("ref\nx\n"), user=people.bob(engine.tenant))


def test_a_file_that_was_changed_since_is_not_opened(engine: Bench) -> None:
    mapped(engine)
    report = take_in(engine, "ref\nx\n")
    report.content = uploads.sealed(engine.tenant, b"ref\ny\n")
    with pytest.raises(ReportRefusedError, match="not what was taken in"):
        keeping.opened(report)


def test_who_took_what_in_is_audited_with_the_files_digest(engine: Bench) -> None:
    mapped(engine)
    report = take_in(engine, "ref\nx\n")
    row = AuditRow.objects.get(verb="take_in_report")
    assert (row.actor_id, row.detail["lines"]) == (str(engine.starter.pk), 1)
    assert row.detail["digest"] == bytes(report.digest).hex()


def test_how_columns_are_read_is_said_by_each_tenant_itself(engine: Bench) -> None:
    mapped(engine)
    other = people.make_tenant("other")
    with pytest.raises(ReportRefusedError, match="Nobody has said yet"):
        keeping.take_in(other, upload("ref\nx\n"), user=people.eve(other))


def test_an_upload_is_of_its_tenant_alone(engine: Bench) -> None:
    other = people.make_tenant("other")
    both = people.eve(engine.tenant, other)
    uploads.lay_down(engine.tenant, upload("ref\nx\n"), user=both)
    assert uploads.waiting(engine.tenant, both) is not None
    assert uploads.waiting(other, both) is None


@pytest.mark.parametrize("of", [{"tool": "fake.void"}, {"mode": "shadow"}])
def test_an_effect_of_another_tool_or_of_a_shadow_is_unknown_to_us(
    engine: Bench, of: dict[str, str]
) -> None:
    case = unknown_mail(engine)
    mapped(engine)
    with guards_off():
        Action.objects.filter(run=case.run_id).update(**of)
    report = take_in(engine, f"ref\n{case.action_id}\n")
    assert (report.matched, report.unknown_to_us, report.absent) == (0, 1, 0)
