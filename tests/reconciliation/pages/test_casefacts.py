"""The facts of a case: what is known of the run, the effect and its attempts, each with its age."""

from typing import Any

import pytest

from checkpoints.models import Checkpoint
from reconciliation.pages import casefacts, queries
from tenants.keys import hiding
from tests.engine.turns import Bench
from tests.journeys.places import waiting_run
from tests.people import make_tenant
from tests.reconciliation.deskwork import guards_off, held, past_window, unknown_mail

pytestmark = pytest.mark.django_db(transaction=True)


def told(facts: list[dict[str, Any]]) -> dict[str, str]:
    return {fact["label"]: fact["value"] for fact in facts}


def test_an_unknown_effect_says_when_it_was_sent_and_whether_it_may_still_arrive(
    engine: Bench,
) -> None:
    case = unknown_mail(engine)
    action = queries.action_of(engine.tenant, case.action_id)  # type: ignore[arg-type]
    facts = told(casefacts.of(case, action, queries.open_attempt(action.pk)))
    assert facts["Effect"] == "write a-0"
    assert facts["Look for"] == str(action.pk)
    assert facts["Sent"] == "attempt 1"
    assert facts["A late call"] == "may still arrive"
    past_window(case)
    facts = told(casefacts.of(case, action, queries.open_attempt(action.pk)))
    assert facts["A late call"] == "cannot arrive any more"


def test_facts_of_the_trouble_have_words_and_long_ones_say_what_is_cut() -> None:
    told_of = hiding.texts(was="4f2c", now="x" * 1000, odd="thing")
    case = held(make_tenant(), "world_changed", None, **told_of)
    facts = told(casefacts.of(case, None, None))
    assert facts["When it was read"] == "4f2c"
    assert facts["Now"].endswith("… (600 more characters)")
    assert facts["odd"] == "thing"


def test_each_latest_checkpoint_is_verified_and_a_missing_one_is_named(engine: Bench) -> None:
    run = waiting_run(engine)
    run.refresh_from_db()
    intact = casefacts.candidates(run)
    assert [each.seq for each in intact] == [6, 5, 4, 3, 2, 1]
    assert not any(each.damage for each in intact)
    with guards_off():
        Checkpoint.objects.filter(run_id=run.pk, seq=6).delete()
    assert [each.seq for each in casefacts.candidates(run) if each.damage] == [6]
