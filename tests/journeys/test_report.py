"""An outage, the provider's own report, and everything it answers closed by one plan."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from checkpoints.models import Case, Run, Verdict
from execution.plans.models import Plan
from reconciliation.models import Action
from tests.engine.faketools import effects
from tests.engine.turns import Bench
from tests.execution.plans.held import carried, unknown
from tests.journeys.conftest import SitDown
from tests.journeys.places import press

pytestmark = pytest.mark.django_db(transaction=True)


def test_what_a_report_has_is_closed_by_one_plan_and_nothing_is_sent(
    engine: Bench, sit_down: SitDown, tmp_path: Path
) -> None:
    runs = unknown(engine, 3)
    before = effects()
    ids = Action.objects.order_by("pk").values_list("pk", flat=True)
    lines = [f"re_{n},{pk},succeeded" for n, pk in enumerate(ids)]
    file = tmp_path / "provider.csv"
    file.write_text("\n".join(["id,their reference,status", *lines, "re_9,elsewhere,succeeded"]))

    page = sit_down(engine.starter)
    page.goto(f"/t/{engine.tenant.slug}/reports/")
    page.get_by_label("Tool").select_option("fake.nothing")
    page.get_by_label("Report of the provider").set_input_files(file)
    press(page, "Read it")
    expect(page.get_by_role("heading", level=1)).to_have_text("What the report says")
    expect(page.get_by_label("Our reference")).to_have_value("their reference")
    expect(page.get_by_label("Words of the status")).to_have_value("succeeded")
    press(page, "Match 4 lines")
    expect(page.get_by_text("Of 4 lines: 3 matched, 0 different, 1 unknown to us.")).to_be_visible()
    page.get_by_label("Reason").fill("The provider's own list has them.")
    press(page, "Plan: 3 happened")
    press(page, "Believe the report of 3 effects")
    expect(page.get_by_text("0 of 3 runs carried out.").first).to_be_visible()
    carried(Plan.objects.get())
    for _ in runs:
        engine.turn()

    assert set(Run.objects.values_list("status", flat=True)) == {"succeeded"}
    assert set(Action.objects.values_list("outcome", flat=True)) == {"happened"}
    assert not Case.objects.filter(closed_at=None).exists()
    assert all("line" in verdict.evidence for verdict in Verdict.objects.all())
    assert effects() == before
    page.goto(f"/t/{engine.tenant.slug}/actions/?window=all&standing=happened")
    expect(page.get_by_role("heading", level=1)).to_have_text("3 effects")
