"""What shows a change where none is, or none where one is, nobody approves and no rule passes."""

from collections.abc import Sequence
from typing import Any

import pytest

from approvals import batches, decisions
from approvals.batches import Answer
from approvals.decisions import Given
from approvals.errors import ContradictoryDiffError
from approvals.models import ApprovalRequest, Decision
from reconciliation.tools import Call, DryRun
from tenants.actors import Actor
from tenants.models import AuditRow, User
from tests.approvals.asking import address, asked_about, signed_in
from tests.engine import registry
from tests.engine.faketools import Fake, effects
from tests.engine.turns import Bench
from tests.execution.test_rules import ALLOW, ruled, say
from tests.opening import open_all
from tests.people import dee

__all__ = ["ruled"]

pytestmark = pytest.mark.django_db

HEAD = b"diff --git a/x b/x\nindex 3f1c2aa..9b0d1e2 100644\n"
SILENT = HEAD
IDLE = HEAD + b"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+a\n"


@pytest.mark.parametrize(("diff", "code"), [(SILENT, "silent"), (IDLE, "idle")])
def test_nobody_approves_it_and_the_attempt_is_on_record(diff: bytes, code: str) -> None:
    asked = asked_about(diff)
    user = dee(asked.tenant)
    client = signed_in(user)
    html = client.get(address(asked)).content.decode()
    assert "so nobody may approve it." in html
    assert 'value="approve"' not in html
    open_all(asked.pk, user)
    given = Given("approve", "", asked.action_hash)
    with pytest.raises(ContradictoryDiffError) as caught:
        decisions.decide(asked.pk, given, actor=Actor.person(user), user=user)
    assert caught.value.code == code
    posted = {"verdict": "approve", "shown": asked.action_hash, "reason": ""}
    answer = client.post(address(asked, "decision/"), posted)
    assert answer.status_code == 409
    assert "nobody may approve it" in answer.content.decode()
    assert AuditRow.objects.get(verb="refused_decide").detail["code"] == code
    assert not Decision.objects.exists()
    together(user, [asked])
    assert not Decision.objects.exists()


def together(user: User, these: Sequence[ApprovalRequest]) -> None:
    pairs = [(each.pk, each.action_hash) for each in these]
    answer = Answer(pairs, "approve", "", these[0].pk)
    batches.decide_all(answer, tenant=these[0].tenant, actor=Actor.person(user), user=user)


def test_it_is_rejected_and_sent_back_as_anything_else() -> None:
    asked = asked_about(SILENT)
    user = dee(asked.tenant)
    given = Given("send_back", "It shows nothing.", asked.action_hash)
    decisions.decide(asked.pk, given, actor=Actor.person(user), user=user)
    assert Decision.objects.get().verdict == "send_back"


class AtOdds(Fake):
    """A tool whose dry run names another content and shows no line of it."""

    def dry_run(self, call: Call) -> DryRun:
        return DryRun(SILENT, "text/x-diff", {})


def test_no_rule_passes_what_a_tool_shows_at_odds_with_the_bytes(
    engine: Bench, ruled: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    ruled(ALLOW)
    say(engine, "reversible")
    tool = AtOdds("fake.void", registry.TOOLS.by_name["fake.void"].capabilities)
    monkeypatch.setitem(registry.TOOLS.by_name, "fake.void", tool)
    run = engine.start(tool="fake.void", what="a")
    engine.turn()
    run.refresh_from_db()
    assert (run.status, run.reason, effects()) == ("waiting", "for_approval", [])
    with pytest.raises(ContradictoryDiffError):
        engine.decide(run)
