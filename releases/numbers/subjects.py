"""Which two combos are compared, where, and since when."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from checkpoints.ids import lowest_id_at
from checkpoints.models import Combo
from releases.gates import standing
from releases.models import Release
from tenants.models import Tenant

LIVE: Final = "live"
SHADOW: Final = "shadow"
# The newest runs of one tenant that a look reads, of every task type.
LOOKED_AT: Final = 20_000


@dataclass(frozen=True)
class Subject:
    """A candidate beside the stable combo.

    `since` is when the shares last moved: arms are alike in everything but the combo only while
    the shares stand. `mode` is that of the candidate's runs; `expected_share` what it should get
    of 10,000 keys, None where no share is dealt out (a shadow). `begun` is when the release began,
    if that was earlier: what never may have happened is looked for since then. Critical
    runs are left out of both arms where they are dealt out otherwise than the rest. `release` is whose
    twins are compared, None of none.
    """

    tenant: Tenant
    task_type: str
    candidate: Combo
    stable: Combo
    since: datetime
    mode: str = LIVE
    expected_share: int | None = None
    begun: datetime | None = None
    with_critical: bool = True
    release: UUID | None = None

    @property
    def safe_since(self) -> datetime:
        """Since when no safety constraint may have been broken."""
        return min(self.since, self.begun or self.since)


@dataclass(frozen=True)
class ArmOf:
    """One of the two arms, as the statements of this room name it."""

    subject: Subject
    combo: Combo
    mode: str

    def values(self, **more: Any) -> dict[str, Any]:
        """What `ARM` asks for, and more."""
        since = self.subject.since
        return {
            "tenant": self.subject.tenant.pk,
            "task_type": self.subject.task_type,
            "combo": self.combo.pk,
            "mode": self.mode,
            "with_critical": self.subject.with_critical,
            "since": since,
            "first": lowest_id_at(int(since.timestamp() * 1000)),
            "looked_at": LOOKED_AT,
        } | more


def of_release(release: Release) -> Subject:
    """What a release under way is measured by."""
    in_canary = release.place == standing.CANARY
    return Subject(
        tenant=release.tenant,
        task_type=release.task_type,
        candidate=release.candidate,
        stable=release.stable,
        since=release.moved_at,
        mode=LIVE if in_canary else SHADOW,
        expected_share=release.share if in_canary else None,
        begun=release.begun_at,
        with_critical=release.share == release.share_of_critical or not in_canary,
        release=release.pk,
    )


def arms(subject: Subject) -> tuple[ArmOf, ArmOf]:
    """The candidate's arm, and the stable one's: always its live runs."""
    return (
        ArmOf(subject, subject.candidate, subject.mode),
        ArmOf(subject, subject.stable, LIVE),
    )


# The runs of one arm. Each belongs to the combo it began under, wherever it was moved since: a run
# that a person saved is no success of the candidate's. Left out are critical runs where their share is
# another one, forks, which a person began, and business keys that a person sent by hand. Relies on
# runs_by_tenant_newest, overrides_by_business_key and the primary key of checkpoints.
ARM: Final = """
WITH newest_runs AS (
    SELECT id, task_type, mode, combo_id, critical, forked_from_id, status, stop_reason, due_at,
           created_at, business_key
      FROM checkpoints_run
     WHERE tenant_id = %(tenant)s::bigint AND id >= %(first)s::uuid
     ORDER BY id DESC LIMIT %(looked_at)s::int
), arm AS (
    SELECT id, status, stop_reason, due_at, mode FROM newest_runs AS run
     WHERE task_type = %(task_type)s::text AND mode = %(mode)s::text AND (%(with_critical)s::bool OR NOT critical)
       AND forked_from_id IS NULL AND created_at >= %(since)s::timestamptz
       AND %(combo)s::bigint = coalesce(
           (SELECT combo_id FROM checkpoints_checkpoint WHERE run_id = run.id AND seq = 1),
           combo_id)
       AND NOT EXISTS (SELECT 1 FROM checkpoints_override AS sent
            WHERE sent.tenant_id = %(tenant)s::bigint AND sent.task_type = %(task_type)s::text
              AND sent.business_key = run.business_key AND sent.made_at <= run.created_at
              AND coalesce(sent.ended_at, 'infinity') > run.created_at)
)
"""
