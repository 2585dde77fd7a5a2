"""Takes the look that is due, and says what of a release has to stop it now."""

from typing import Final
from uuid import UUID

from django.db import transaction

from canonical import json as canonical
from canonical.redaction import ours
from releases.gates import policies, samples, verdicts
from releases.gates.policies import Policy
from releases.gates.verdicts import Whole
from releases.looks.models import Look
from releases.models import UNDER_WAY, Release
from releases.numbers import runs, safety, taking
from releases.numbers.audit import Ends
from releases.numbers.subjects import arms, of_release
from tenants import audit
from tenants.actors import Actor
from tenants.keys import hiding

GATES: Final = Actor.machine("gates")


def policy_of(release: Release) -> Policy:
    """What the gates of a release demand. Raises `BadPolicyError`."""
    return policies.read(canonical.loads_object(release.policy))


def stopping(release: Release, ends: Ends | None = None) -> tuple[str, ...]:
    """What has to stop the release now: broken constraints, or what its newest look says. Bounded.

    A constraint that cannot be read stops nothing by itself; it allows no promotion either.
    """
    subject = of_release(release)
    found = safety.constraints(subject.tenant, subject.candidate, subject.safe_since, ends)
    broken = tuple(each.name for each in found if each.broken)
    look = newest(release)
    if broken or look is None or look.verdict != verdicts.STOP:
        return broken
    return tuple(canonical.loads_object(look.whole)["because"])


def allows_promotion(release: Release) -> bool:
    """Whether the newest look since the last move allows it, and its constraints hold right now."""
    look = newest(release)
    if look is None or look.verdict != verdicts.PROMOTE_ALLOWED:
        return False
    subject = of_release(release)
    found = safety.constraints(subject.tenant, subject.candidate, subject.safe_since)
    return all(each.broken == 0 for each in found)


def newest(release: Release) -> Look | None:
    """The newest look since the release last moved. Relies on each_look_is_taken_once."""
    since = Look.objects.filter(release=release, after_move=release.last_move)
    return since.order_by("-number").first()


def take_due(release_id: UUID) -> Look | None:
    """Take the look that is due by now, once; None when none is, or the release moved meanwhile."""
    release = Release.objects.select_related("tenant", "candidate", "stable").get(pk=release_id)
    policy, subject = policy_of(release), of_release(release)
    last = newest(release)
    taken = last.number if last else 0
    if release.place not in UNDER_WAY or taken >= len(policy.looks):
        return None
    # So much for a round in which nothing is due: one count.
    if policy.looks_due(runs.count(arms(subject)[0]).ended) <= taken:
        return None
    sample = taking.take(subject)
    look = policy.looks_due(sample.candidate.ended)
    if look <= taken:
        return None
    return _kept(release, verdicts.judge(sample, policy, look=look), sample)


def _kept(release: Release, whole: Whole, sample: samples.Sample) -> Look | None:
    with transaction.atomic():
        # The release first: what moved meanwhile is another stage, with its own looks.
        now = Release.objects.select_for_update(of=("self",)).get(pk=release.pk)
        known = Look.objects.filter(release=now, after_move=release.last_move, number=whole.look)
        if now.last_move != release.last_move or known.exists():
            return None
        look = Look.objects.create(
            tenant=release.tenant,
            release=release,
            after_move=release.last_move,
            number=whole.look,
            verdict=whole.verdict,
            policy_digest=whole.policy,
            sample_digest=whole.sample,
            sample=canonical.dumps(sample.as_json()),
            whole=canonical.dumps(whole.as_json()),
        )
        audit.record(
            release.tenant,
            GATES,
            "looked at release",
            ours("release:%(id)s", id=release.pk),
            look=look.number,
            verdict=hiding.text(look.verdict),
            sample=hiding.text(look.sample_digest),
        )
    return look
