"""The stored bytes are what runs: every JSON text that is accepted arrives byte for byte.

Incidents A09, A33, A38 and A41: through the page, the yes and the dispatch nothing is converted.
"""

from collections.abc import Mapping
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from approvals import hashing
from approvals.models import ApprovalRequest
from approvals.showing import values as showing
from canonical import digests
from canonical import json as canonical
from checkpoints.graph import Context, Proposal, State
from checkpoints.models import Case, Event
from reconciliation import verdicts
from reconciliation.models import Action
from reconciliation.tools import Call, DryRun, Sent
from reconciliation.verdicts import Given
from tests.approvals.asking import address, signed_in
from tests.canonical.strategies import texts, values
from tests.engine import registry
from tests.engine.faketools import Fake, effects
from tests.engine.turns import Bench
from tests.execution.graphs import acting
from tests.opening import open_all

NAME = "fake.void"
objects = st.dictionaries(texts, values, max_size=5)


class Anything(Fake):
    """A fake that takes any object and keeps the bytes it was handed."""

    parameters_schema: Mapping[str, Any] = {"type": "object"}

    def __init__(self) -> None:
        super().__init__(NAME, registry.TOOLS.by_name[NAME].capabilities)
        self.handed: list[bytes] = []

    def describe(self, parameters: Mapping[str, Any]) -> str:
        return "take anything"

    def target(self, parameters: Mapping[str, Any]) -> str:
        return "anywhere"

    def dry_run(self, call: Call) -> DryRun:
        return DryRun(call.parameter_bytes, "application/json", {})

    def perform(self, call: Call) -> Sent:
        self.handed.append(call.parameter_bytes)
        return Sent(b"{}", digests.sha256_hex(call.parameter_bytes))


@pytest.mark.django_db
@settings(
    max_examples=15,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(content=objects)
def test_every_accepted_text_arrives_byte_for_byte(
    engine: Bench, monkeypatch: pytest.MonkeyPatch, content: dict[str, Any]
) -> None:
    tool = Anything()
    monkeypatch.setitem(registry.TOOLS.by_name, NAME, tool)
    accepted = canonical.dumps(content)

    def propose(state: State, context: Context) -> Proposal:
        return Proposal(NAME, canonical.loads_object(context.input["text"]))

    acting(monkeypatch, propose=propose)
    run = engine.start("odd", text=accepted.decode(), nonce=uuid4().hex)
    engine.turn()
    asked = ApprovalRequest.objects.get(run=run)
    client = signed_in(engine.approver)
    page = client.get(address(asked))
    assert page.status_code == 200
    open_all(asked.pk, engine.approver)
    answer = {"verdict": "approve", "shown": asked.action_hash, "reason": ""}
    assert client.post(address(asked, "decision/"), answer).status_code == 302
    engine.turn()
    assert tool.handed == [accepted]
    assert bytes(ApprovalRequest.objects.get(pk=asked.pk).parameters) == accepted
    assert bytes(Action.objects.get(run=run).parameters) == accepted


@given(st.one_of(st.tuples(values, values), values.map(lambda value: (value, value))))
def test_the_shown_difference_is_empty_exactly_when_the_bytes_are_equal(
    pair: tuple[Any, Any],
) -> None:
    saw, now = pair
    shown = showing.json_part(canonical.dumps({"before": saw, "after": now}))
    assert shown is not None
    assert (not shown.changes) == (canonical.dumps(saw) == canonical.dumps(now))


@given(objects, objects)
def test_equal_digests_mean_equal_bytes(saw: dict[str, Any], now: dict[str, Any]) -> None:
    one, other = canonical.dumps(saw), canonical.dumps(now)
    same = hashing.diff_digest(one, "application/json", ("x",)) == hashing.diff_digest(
        other, "application/json", ("x",)
    )
    without_x = [
        canonical.dumps({k: v for k, v in each.items() if k != "x"}) for each in (saw, now)
    ]
    assert same == (without_x[0] == without_x[1])


@given(objects)
def test_what_is_bound_reads_back_as_itself(content: dict[str, Any]) -> None:
    accepted = canonical.dumps(content)
    assert canonical.dumps(canonical.loads(accepted)) == accepted
    assert canonical.normal(content)[0] == accepted


def other_bytes(call: Call) -> Sent:
    """What a second configuration source did to the parameters on their way out."""
    sent = Fake(NAME, registry.TOOLS.by_name[NAME].capabilities).perform(call)
    return Sent(sent.receipt, "f" * 64)


@pytest.mark.django_db
def test_a09_other_bytes_on_the_wire_hold_the_run_with_both_digests(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    acting(monkeypatch)
    run = engine.start("odd", tool=NAME)
    engine.turn()
    engine.decide(run)
    tool = Fake(NAME, registry.TOOLS.by_name[NAME].capabilities)
    monkeypatch.setattr(tool, "perform", other_bytes)
    monkeypatch.setitem(registry.TOOLS.by_name, NAME, tool)
    engine.turn()
    case = Case.objects.get(run=run)
    approved = digests.sha256_hex(b'{"what":"a-0"}')
    assert (case.kind, case.facts["approved"], case.facts["sent"]) == (
        "contradicted",
        approved,
        "f" * 64,
    )
    html = signed_in(engine.approver).get(f"/t/{engine.tenant.slug}/cases/{case.pk}/").content
    assert approved.encode() in html
    assert b"f" * 64 in html
    assert len(effects()) == 1
    assert Event.objects.filter(run=run, what="wire digest differs").count() == 1
    given = Given("it_stands", "It is what we wanted.", evidence="the world has it once")
    verdicts.give(case.pk, given, user=engine.approver)
    engine.turn()
    run.refresh_from_db()
    assert (run.status, len(effects())) == ("succeeded", 1)
