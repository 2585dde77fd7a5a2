"""The board: every effect that the withdrawn combo proposed since its release began, as it stands."""

from typing import Any, Final
from uuid import UUID

from django.db import connection
from django.db.models import QuerySet
from django.db.models.functions import Now

from reconciliation import states as world
from reconciliation.models import Action
from releases.models import Release
from releases.rollbacks import phases
from releases.rollbacks.models import OutstandingEffect, Rollback, RollbackRun
from releases.rollbacks.proposing import tell
from tenants.actors import Actor
from tenants.database import execute

ROLLBACK: Final = Actor.machine("rollback")

# An effect is of the combo under which its proposal was committed, wherever its run is by now.
# Relies on runs_by_tenant_and_combo, actions_by_run and the primary key of checkpoints.
OF_COMBO: Final = """
  FROM reconciliation_action AS effect
  JOIN checkpoints_checkpoint AS proposed
    ON (proposed.run_id, proposed.seq) = (effect.run_id, effect.proposed_seq)
 WHERE effect.run_id IN (
       SELECT id FROM checkpoints_run
        WHERE tenant_id = %(tenant)s AND combo_id = %(combo)s AND mode = 'live'
        UNION ALL SELECT run_id FROM releases_rollbackrun WHERE rollback_id = %(rollback)s::uuid)
   AND proposed.combo_id = %(combo)s AND effect.proposed_at >= %(since)s
"""
LIST: Final = f"""
INSERT INTO releases_outstandingeffect
    (rollback_id, tenant_id, action_id, state, signed_off, reason)
SELECT %(rollback)s, effect.tenant_id, effect.id, 'proposed', '', ''
{OF_COMBO}
   AND NOT EXISTS (
       SELECT FROM releases_outstandingeffect WHERE (rollback_id, action_id) = (%(rollback)s, effect.id))
ON CONFLICT DO NOTHING
"""  # noqa: S608 - words of ours

# An attempt that ended so that it may be sent again under its key says nothing about the first time.
STANDS: Final = """
  SELECT effect.id, CASE
      WHEN effect.outcome IN ('happened', 'written_off') AND EXISTS (
          SELECT FROM reconciliation_action
           WHERE compensates_id = effect.id AND outcome = 'happened') THEN 'compensated'
      WHEN effect.outcome = 'happened' THEN 'happened'
      WHEN effect.outcome = 'written_off' THEN 'orphaned'
      WHEN effect.stands = 'settled' THEN 'refused'
      WHEN sent.last = 'resent_under_key' OR sent.last = '' AND effect.outcome = 'unknown'
          THEN 'unknown'
      WHEN sent.last = '' THEN 'attempting'
      WHEN asked.state = 'approved' THEN 'approved'
      ELSE 'proposed' END AS state
    FROM reconciliation_action AS effect
    LEFT JOIN LATERAL (SELECT outcome AS last FROM reconciliation_attempt
          WHERE action_id = effect.id AND outcome <> 'not_called'
          ORDER BY number DESC LIMIT 1) AS sent ON true
    LEFT JOIN LATERAL (SELECT state FROM approvals_approvalrequest
          WHERE action_id = effect.id ORDER BY revision DESC LIMIT 1) AS asked ON true
"""
STATES: Final = f"""
UPDATE releases_outstandingeffect AS board SET state = now.state
  FROM ({STANDS}
   WHERE effect.id IN (SELECT action_id FROM releases_outstandingeffect
       WHERE rollback_id = %(rollback)s AND signed_off = '')) AS now
 WHERE board.rollback_id = %(rollback)s AND board.action_id = now.id
   AND board.signed_off = '' AND board.state <> now.state
"""  # noqa: S608 - words of ours
NEWEST: Final = f"""
SELECT state, of_state, id FROM (
    SELECT now.id, now.state, count(*) OVER (PARTITION BY now.state) AS of_state,
           row_number() OVER (PARTITION BY now.state ORDER BY its.proposed_at DESC, now.id) AS place
      FROM ({STANDS} WHERE effect.id IN (SELECT effect.id {OF_COMBO})) AS now
      JOIN reconciliation_action AS its ON its.id = now.id) AS listed
 WHERE place <= %(each)s ORDER BY state, place
"""  # noqa: S608 - words of ours


def refresh(rollback: Rollback) -> None:
    """List what is new, read from the ledger how each stands, and sign off what left nothing outside."""
    values: dict[str, Any] = {
        "rollback": rollback.pk,
        "tenant": rollback.tenant_id,
        "combo": rollback.from_combo_id,
        "since": rollback.release.begun_at,
    }
    with connection.cursor() as cursor:
        cursor.execute(LIST, values)
        cursor.execute(STATES, values)
    if phases.is_at_least(rollback.phase, phases.RECONCILING):
        _sign_off(rollback)


def newest(release: Release, *, each: int) -> dict[str, tuple[int, list[UUID]]]:
    """The effects that its candidate proposed since it began, by where each stands now: how many,
    and the newest so many of them."""
    values = {
        "rollback": None,
        "tenant": release.tenant_id,
        "combo": release.candidate_id,
        "since": release.begun_at,
        "each": each,
    }
    found: dict[str, tuple[int, list[UUID]]] = {}
    for state, count, action_id in execute(NEWEST, values):
        found.setdefault(state, (count, []))[1].append(action_id)
    return found


def open_effects(rollback: Rollback) -> int:
    """How many effects are not signed off."""
    return rollback.effects.filter(signed_off="").count()


def _sign_off(rollback: Rollback) -> None:
    """What never arrived, what was undone, and what was never sent by a run that waits."""
    mine = rollback.effects.filter(signed_off="")
    waiting = RollbackRun.objects.filter(rollback=rollback, ended=phases.WAITS).values("run_id")
    never_sent = Action.objects.filter(
        run_id__in=waiting, stands=world.PROPOSED, attempts=None
    ).values("pk")
    found = {
        phases.RECONCILED: mine.filter(state=phases.REFUSED),
        phases.COMPENSATED: mine.filter(state=phases.COMPENSATED),
    }
    done = {how: _signed(effects, how) for how, effects in found.items()}
    unsent = mine.filter(state=phases.PROPOSED, action_id__in=never_sent)
    done[phases.RECONCILED] += _signed(unsent, phases.RECONCILED)
    if any(done.values()):
        tell(rollback, ROLLBACK, "signed off effects", **done)


def _signed(effects: QuerySet[OutstandingEffect], how: str) -> int:
    return effects.update(signed_off=how, signed_at=Now())
