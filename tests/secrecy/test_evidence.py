"""Evidence of a run that handles secrets holds to the byte, and gives none of them away."""

import base64
import json

import pytest

from checkpoints.models import Run
from reconciliation.evidence.exporting import export
from reconciliation.evidence.snapshots import About
from reconciliation.evidence.verifying import verify
from tenants.actors import Actor
from tenants.trail import heads
from tests.engine.turns import Bench
from tests.secrecy.sinks import leaks

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize("whole", [True, False])
def test_evidence_proves_the_bytes_and_shows_no_secret(
    careless: Bench, run: Run, whole: bool
) -> None:
    """Its payloads are those of the record: what is sensitive in them stays encrypted."""
    careless.turn()
    careless.decide(run)
    careless.turn()
    content = export(About.run(run), actor=Actor.person(careless.approver), whole=whole)
    assert verify(content, heads.believed()).faults == []
    assert leaks(content) == []
    contents = json.loads(content)["contents"].values()
    payloads = [base64.b64decode(each) for each in contents if each is not None]
    assert len(payloads) > 1 or not whole
    assert all(leaks(payload) == [] for payload in payloads)
