"""The page of a policy: what holds in words, what another changes before it is said, and who may."""

import re
from typing import Any

import pytest
from django.test import Client

from canonical import json as canonical
from releases.gates import policies, standing
from releases.usual import telling
from releases.usual.forms import PolicyForm, typed
from releases.usual.models import UsualPolicy
from tests.execution.pages.visits import PASSWORD, proved_in, signed_in, words
from tests.people import bob
from tests.releases.traffic import Traffic
from tests.releases.usual.test_saying import ROLLS_BACK, TWO, USUAL, say

pytestmark = pytest.mark.django_db


def page(releases: Traffic, rest: str = "of/steps/policy/") -> str:
    return f"/t/{releases.tenant.slug}/releases/{rest}"


def fields(**other: Any) -> dict[str, Any]:
    return {"step": "show", **typed(policies.USUAL), **other}


def spoken(answer: Any, why: str = "We agreed.", **other: str) -> dict[str, str]:
    """What the form of a preview posts."""
    html = answer.content.decode().replace("&quot;", '"')
    hidden = dict(
        re.findall(r'name="(step|wanted|seen)" value="(say|null|\{.*?\}|[0-9a-z]+)"', html)
    )
    return {**hidden, "step": "say", "why": why, **other}


def test_the_usual_policy_is_told_in_words(releases: Traffic) -> None:
    said = words(signed_in(bob(releases.tenant)).get(page(releases)))
    assert "It stops; a rollback is planned, and a person orders it" in said
    assert "One person; two where it is stable already" in said
    assert "The worker of 20 % of the twins is killed once" in said
    assert "Once 50, 100, 150, 200, 300, 400, 600, 800, 1,200, 1,600 runs" in said
    assert "At most 25 % more; judged once there are 50 runs that ended" in said
    assert "The house's usual policy: nobody here had said another." in said


def test_the_difference_is_shown_and_nothing_said_before_it_is_said(releases: Traffic) -> None:
    client = proved_in(releases.ada)
    shown = client.post(page(releases), fields(on_stop="roll_back", drills="37.5"))
    said = words(shown)
    assert "It stops and rolls back by itself, once" in said
    assert "The worker of 37.5 % of the twins is killed once" in said
    assert "Say it from the next release on" in said
    assert not UsualPolicy.objects.exists()
    assert client.post(page(releases), spoken(shown))["Location"] == page(releases)
    kept = canonical.loads_object(UsualPolicy.objects.get().policy)
    assert (kept["on_stop"], kept["shadows"]["drills"]) == ("roll_back", 3_750)
    assert "We agreed." in words(client.get(page(releases)))


def test_confirming_first_keeps_what_was_typed(releases: Traffic) -> None:
    client = signed_in(releases.ada)
    releases.ada.set_password(PASSWORD)
    releases.ada.save()
    client.force_login(releases.ada)
    shown = client.post(page(releases), fields(roll_back_people="2"))
    away = client.post(page(releases), spoken(shown))
    assert away["Location"].startswith("/confirm/?next=")
    assert not UsualPolicy.objects.exists()
    client.post("/confirm/", {"password": PASSWORD, "next": page(releases)})
    back = client.get(page(releases))
    assert "Two people, always" in words(back)
    assert "We agreed." in words(back)
    client.post(page(releases), spoken(back))
    assert UsualPolicy.objects.get().policy_digest == policies.read(TWO).digest


@pytest.mark.parametrize(
    ("typed_so", "field", "says"),
    [
        ({"error": "30"}, "error", "It has to be from 0.01 to 20."),
        ({"failure_margin": "60"}, "failure_margin", "It has to be from 0 to 50."),
        ({"failure_least": "0"}, "failure_least", "It is not a whole number from 1 to"),
        ({"failure_margin": ""}, "failure_margin", "leave every field of this measure empty"),
        ({"looks": "50, 40"}, "looks", "It does not grow from look to look."),
        ({"looks": "50, many"}, "looks", "“many” is no whole number"),
        ({"looks": "0"}, "looks", "It is not a whole number from 1 to"),
        ({"drills": "101"}, "drills", "less than or equal to 100"),
        ({"on_unsafe": "go_on"}, "on_unsafe", "Select a valid choice"),
    ],
)
def test_bad_input_names_its_field_and_stays_as_it_was_typed(
    releases: Traffic, typed_so: dict[str, str], field: str, says: str
) -> None:
    given = fields(at_once="77", **typed_so)
    form = PolicyForm(given)
    assert list(form.errors) == [field]
    answer = proved_in(releases.ada).post(page(releases), given)
    assert answer.status_code == 422
    assert says in words(answer)
    assert 'value="77"' in answer.content.decode()
    assert not UsualPolicy.objects.exists()


def test_no_measure_at_all_is_refused(releases: Traffic) -> None:
    names = [name for name in PolicyForm().fields if name.startswith(policies.MEASURES)]
    answer = proved_in(releases.ada).post(page(releases), fields(**dict.fromkeys(names, "")))
    assert (answer.status_code, "at least one measure" in words(answer)) == (422, True)


def test_what_is_typed_of_a_policy_is_that_policy() -> None:
    everything = policies.read(
        {
            **USUAL,
            "error": 0.0375,
            "ratio_error": 0.000001,
            "looks": [7, 1_000],
            "shadows": {"share": 1, "share_of_canary": 0, "drills": 9_999, "at_once": 3},
            "measures": {"duplicates": {"least": 3}, "cost": {"margin": 10, "least": 20}},
            "roll_back_people": 2,
            "on_unsafe": "propose",
        }
    )
    for policy in (policies.USUAL, everything):
        form = PolicyForm(typed(policy))
        assert form.is_valid(), form.errors
        assert form.policy() == policy
        assert form.policy().digest == policy.digest


@pytest.mark.parametrize("field", list(PolicyForm().fields))
def test_no_change_goes_unsaid(field: str) -> None:
    """Whatever one field changes stands in the difference."""
    old = typed(policies.USUAL)
    other = {"on_stop": "roll_back", "on_unsafe": "propose", "roll_back_people": 2}
    other["looks"] = "50, 100, 150, 200, 300, 400, 600, 800, 1200, 1601"
    new = other.get(field) or float(old[field]) * 2
    form = PolicyForm({**old, field: int(new) if isinstance(new, float) and new > 1 else new})
    assert form.is_valid(), form.errors
    assert len(telling.differences(policies.USUAL, form.policy())) == 1


def test_taking_it_back_shows_what_holds_then(releases: Traffic) -> None:
    say(releases, ROLLS_BACK)
    client = proved_in(releases.ada)
    assert b"Take back what was said" in client.get(page(releases)).content
    shown = client.post(page(releases), {"step": "take_back"})
    assert "What taking it back changes" in words(shown)
    client.post(page(releases), spoken(shown))
    assert UsualPolicy.objects.order_by("-id")[0].policy_digest == ""
    assert b"Take back what was said" not in client.get(page(releases)).content


def test_what_was_said_meanwhile_or_forged_is_refused_and_the_reason_kept(
    releases: Traffic,
) -> None:
    client = proved_in(releases.ada)
    shown = client.post(page(releases), fields(on_stop="roll_back"))
    say(releases, TWO)
    late = client.post(page(releases), spoken(shown, "Only mine."))
    assert late.status_code == 409
    assert "Somebody has said another policy" in words(late)
    assert "Only mine." in words(late)
    forged = client.post(page(releases), spoken(late, wanted='{"error":1}'))
    assert forged.status_code == 422
    assert "show the change again" in words(forged)
    silent = client.post(page(releases), spoken(late, " "))
    assert silent.status_code == 422
    assert UsualPolicy.objects.count() == 1


def test_who_only_views_reads_and_says_nothing(releases: Traffic) -> None:
    client = proved_in(bob(releases.tenant))
    assert b"Show what that changes" not in client.get(page(releases)).content
    for rest in ("policy/", "of/steps/policy/"):
        assert client.post(page(releases, rest), fields(drills="1")).status_code == 403
    assert client.get(page(releases, "of/nothing/policy/")).status_code == 404


def test_the_page_of_all_tasks_tells_which_have_their_own(releases: Traffic) -> None:
    say(releases, TWO)
    said = words(signed_in(releases.ada).get(page(releases, "policy/")))
    assert "has one of its own" in said
    assert "takes that of all tasks" in said


def release_page(releases: Traffic, client: Client | None = None) -> str:
    return words((client or signed_in(releases.ada)).get(page(releases, "1/")))


def test_a_release_shows_what_it_carries_and_where_it_came_from(releases: Traffic) -> None:
    say(releases, ROLLS_BACK, task_type="")
    release = releases.begin()
    say(releases, TWO)
    said = release_page(releases)
    assert "It stops and rolls back by itself, once" in said
    assert "Two people, always" not in said
    assert "Said of all tasks by Ada" in said
    releases.move(release, standing.STOP)
    releases.begin(combo=releases.candidate, policy={**USUAL, "looks": [5]})
    said = words(signed_in(releases.ada).get(page(releases, "2/")))
    assert "Once 5 runs of the candidate have ended" in said
    assert "Given to this release alone as it began." in said


def test_a_release_of_the_houses_policy_says_so(releases: Traffic) -> None:
    releases.begin()
    assert "The house's usual policy: nobody here had said another." in release_page(releases)
