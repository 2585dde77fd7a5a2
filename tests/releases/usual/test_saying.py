"""A tenant says its own policy: the next release takes it for life, and nothing goes past the verb."""

from typing import Any
from uuid import uuid4

import pytest
from django.db import IntegrityError, transaction

from canonical import json as canonical
from releases.errors import PolicyMovedError, PolicyProofNeededError, ReleaseRefusedError
from releases.gates import policies, standing
from releases.gates.policies import BadPolicyError
from releases.models import Release
from releases.usual import reading, saying
from releases.usual.models import UsualPolicy
from releases.usual.saying import Wanted
from tenants.actors import Actor
from tenants.errors import Denied
from tenants.models import AuditRow, Tenant, User
from tests.checkpoints.combos import another
from tests.checkpoints.lifts import proved
from tests.people import bob, make_tenant
from tests.reconciliation.deskwork import guards_off
from tests.releases.traffic import Traffic

pytestmark = pytest.mark.django_db
USUAL = policies.USUAL.as_json()
ROLLS_BACK = {**USUAL, "on_stop": "roll_back"}
TWO = {**USUAL, "roll_back_people": 2}


def say(releases: Traffic, policy: Any, task_type: str = "steps", **more: Any) -> UsualPolicy:
    seen = saying.digest_of(saying.held(releases.tenant, task_type))
    wanted = Wanted(task_type, policy, **{"why": "We agreed.", "seen": seen, **more})
    return saying.say(releases.tenant, wanted, user=releases.ada, actor=proved(releases.ada))


def test_until_somebody_says_another_the_houses_usual_one_holds(releases: Traffic) -> None:
    assert reading.in_force(releases.tenant, "steps") == reading.InForce(policies.USUAL, None)
    release = releases.begin()
    assert (release.policy_digest, release.policy_from) == (policies.USUAL.digest, None)


def test_a_release_takes_it_as_it_stands_then_and_keeps_it(releases: Traffic) -> None:
    said = say(releases, ROLLS_BACK)
    release = releases.begin()
    assert release.policy_from == said
    assert canonical.loads_object(release.policy) == ROLLS_BACK
    say(releases, TWO)
    kept = Release.objects.get()
    assert (kept.policy_digest, kept.policy_from) == (policies.read(ROLLS_BACK).digest, said)
    releases.move(release, standing.STOP)
    assert canonical.loads_object(releases.begin(combo=another("steps", "a third")).policy) == TWO


def test_the_tasks_own_goes_before_that_of_all_tasks_and_no_other_tenant_hears(
    releases: Traffic,
) -> None:
    say(releases, TWO, task_type="")
    assert reading.in_force(releases.tenant, "steps").policy.roll_back_people == 2
    own = say(releases, ROLLS_BACK)
    found = reading.in_force(releases.tenant, "steps")
    assert (found.said, found.policy.roll_back_people) == (own, 1)
    assert reading.in_force(releases.tenant, "strict").policy.roll_back_people == 2
    assert reading.in_force(make_tenant("elsewhere"), "steps").said is None


def test_taken_back_the_wider_one_holds_again(releases: Traffic) -> None:
    say(releases, ROLLS_BACK)
    say(releases, TWO, task_type="")
    say(releases, None)
    assert reading.in_force(releases.tenant, "steps").policy.roll_back_people == 2
    say(releases, None, task_type="")
    assert reading.in_force(releases.tenant, "steps") == reading.InForce(policies.USUAL, None)
    with pytest.raises(ReleaseRefusedError, match="nothing to take back"):
        say(releases, None)


def test_it_is_audited_with_the_digests_before_and_after(releases: Traffic) -> None:
    say(releases, ROLLS_BACK)
    row = AuditRow.objects.get(verb="said release policy")
    assert (row.subject, row.actor_name) == ("release policy of steps", str(releases.ada))
    now = policies.read(ROLLS_BACK).digest
    assert (row.detail["was"], row.detail["is"]) == (policies.USUAL.digest, now)
    assert (row.detail["why"], row.detail["proved_by"]) == ("We agreed.", "password")
    say(releases, None)
    row = AuditRow.objects.get(verb="took release policy back")
    assert (row.detail["was"], row.detail["is"]) == (now, policies.USUAL.digest)


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"error": 0.3}, "/error"),
        ({"most_unread": 0.9}, "/most_unread"),
        ({"ratio_error": 0.2}, "/ratio_error"),
        ({"measures": {}}, "/measures"),
        ({"measures": {"failure": {"margin": 0.6, "least": 50}}}, "/measures/failure/margin"),
        ({"measures": {"failure": {"margin": 0.1, "least": 0}}}, "/measures/failure/least"),
        ({"looks": []}, "/looks"),
        ({"roll_back_people": 0}, "/roll_back_people"),
        ({"on_unsafe": "go_on"}, "/on_unsafe"),
    ],
)
def test_what_is_looser_than_the_house_lets_it_be_is_refused(
    releases: Traffic, change: dict[str, Any], path: str
) -> None:
    with pytest.raises(BadPolicyError) as wrong:
        say(releases, {**USUAL, **change})
    assert wrong.value.path == path
    assert not UsualPolicy.objects.exists()


def test_no_reason_and_nothing_new_are_refused(releases: Traffic) -> None:
    with pytest.raises(ReleaseRefusedError, match="reason"):
        say(releases, TWO, why=" ")
    with pytest.raises(ReleaseRefusedError, match="holds already"):
        say(releases, USUAL)


def test_what_somebody_said_meanwhile_is_not_overwritten(releases: Traffic) -> None:
    say(releases, TWO)
    with pytest.raises(PolicyMovedError):
        say(releases, ROLLS_BACK, seen=policies.USUAL.digest)
    assert UsualPolicy.objects.count() == 1


def test_it_takes_the_right_at_this_tenant_and_a_fresh_proof(releases: Traffic) -> None:
    wanted = Wanted("steps", TWO, "We agreed.", policies.USUAL.digest)

    def said(tenant: Tenant, user: User, actor: Actor) -> None:
        saying.say(tenant, wanted, user=user, actor=actor)

    viewer = bob(releases.tenant)
    with pytest.raises(Denied):
        said(releases.tenant, viewer, proved(viewer))
    with pytest.raises(Denied):
        said(releases.tenant, viewer, proved(releases.ada))
    with pytest.raises(Denied):
        said(make_tenant("elsewhere"), releases.ada, proved(releases.ada))
    with pytest.raises(PolicyProofNeededError):
        said(releases.tenant, releases.ada, Actor.person(releases.ada))
    assert not UsualPolicy.objects.exists()


def test_the_database_keeps_what_was_said(releases: Traffic) -> None:
    say(releases, TWO)
    for change in (
        lambda: UsualPolicy.objects.update(why="another"),
        lambda: UsualPolicy.objects.all().delete(),
    ):
        with pytest.raises(IntegrityError, match="stays_on_record"), transaction.atomic():
            change()
    with pytest.raises(IntegrityError, match="has_its_digest"), transaction.atomic():
        UsualPolicy.objects.create(
            tenant=releases.tenant, policy=b"{}", policy_digest="", why="x", said_by=releases.ada
        )


def test_a_release_names_no_word_but_the_one_it_took(releases: Traffic) -> None:
    old = say(releases, TWO)
    new = say(releases, ROLLS_BACK)
    elsewhere = UsualPolicy.objects.create(
        tenant=make_tenant("elsewhere"),
        task_type="steps",
        policy=new.policy,
        policy_digest=new.policy_digest,
        why="theirs",
        said_by=releases.ada,
    )
    release = releases.begin()
    with pytest.raises(IntegrityError, match="stays_what_it_is"), transaction.atomic():
        Release.objects.update(policy_from=old)
    columns: dict[str, Any] = dict(Release.objects.values().get())
    releases.move(release, standing.STOP)
    columns |= {"number": 9, "place": "new", "last_move": 0}
    for wrong in (
        {"policy_from_id": old.pk, "policy": old.policy, "policy_digest": old.policy_digest},
        {"policy_from_id": elsewhere.pk},
        {"policy": b"{}"},
    ):
        with pytest.raises(IntegrityError, match="what_its_tenant_says"), transaction.atomic():
            Release.objects.create(**{**columns, "id": uuid4(), **wrong})
    Release.objects.create(**{**columns, "id": uuid4()})


def test_what_can_no_longer_be_read_lets_nothing_begin_until_another_is_said(
    releases: Traffic,
) -> None:
    said = say(releases, TWO)
    with guards_off():
        UsualPolicy.objects.filter(pk=said.pk).update(policy=canonical.dumps(USUAL))
    with pytest.raises(ReleaseRefusedError, match="say one that can be"):
        releases.begin()
    say(releases, ROLLS_BACK)
    assert releases.begin().policy_from is not None
