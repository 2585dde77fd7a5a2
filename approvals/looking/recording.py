"""Keeping what a second look found: one row, one event, one audit row. It moves nothing else."""

from dataclasses import dataclass
from typing import Final

from django.db import transaction

from approvals import locks, requests
from approvals.looking import turns
from approvals.looking.answers import Remark
from approvals.looking.turns import Turn
from approvals.looking.view import View
from approvals.models.secondlooks import LOOK_HERE, NOTHING_NOTICED, SecondLook
from canonical import json as canonical
from tenants.actors import Actor
from tenants.keys import hiding

LOOKER: Final = Actor.machine("second look")


@dataclass
class Asked:
    """Who was asked with which words about which text, and what all answers cost in tokens."""

    model: str
    prompt_digest: str
    view: View
    prompt_tokens: int = 0
    completion_tokens: int = 0


@dataclass(frozen=True)
class Found:
    """What came of it: remarks (none: nothing was noticed), or `outcome` and `why` there are none."""

    remarks: tuple[Remark, ...] = ()
    outcome: str = ""
    why: str = ""

    @property
    def said(self) -> str:
        """The outcome as it is kept."""
        return self.outcome or (LOOK_HERE if self.remarks else NOTHING_NOTICED)

    @property
    def kinds(self) -> str:
        """The kinds of its remarks, each once."""
        return " ".join(sorted({each.kind for each in self.remarks}))


def record(turn: Turn, asked: Asked, found: Found) -> SecondLook | None:
    """Keep what was found, also when people were quicker: it was asked for, and paid.

    Whoever decides at the same time is before or after this, never in between. None: the claim is
    lost, so somebody else asks.
    """
    with transaction.atomic():
        request = locks.request(turn.request_id)
        row = turns.held(turn)
        if row is None:
            return None
        look = SecondLook.objects.create(
            request=request,
            tenant_id=request.tenant_id,
            action_hash=request.action_hash,
            shown_digest=asked.view.digest,
            outcome=found.said,
            remarks=canonical.dumps([each.as_json() for each in found.remarks]),
            remark_count=len(found.remarks),
            why=found.why,
            model=asked.model,
            prompt_digest=asked.prompt_digest,
            combo_digest=request.run.combo.hex,
            prompt_tokens=asked.prompt_tokens,
            completion_tokens=asked.completion_tokens,
            left_out=asked.view.left_out.as_json(),
        )
        turns.end(row)
        requests.record(request, LOOKER, "second_look", **hiding.texts(**_told(look, found)))
    return look


def _told(look: SecondLook, found: Found) -> dict[str, str]:
    """For the operator log and the audit trail: no word of the content, none of the model."""
    told = {
        "look": str(look.pk),
        "hash": look.action_hash,
        "shown": look.shown_digest,
        "outcome": look.outcome,
        "remarks": str(look.remark_count),
        "model": look.model,
        "prompt": look.prompt_digest,
        "tokens": str(look.prompt_tokens + look.completion_tokens),
    }
    more = {"kinds": found.kinds, "why": found.why}
    return told | {name: said for name, said in more.items() if said}
