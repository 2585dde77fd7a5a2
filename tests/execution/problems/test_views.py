"""The pages of problems: what they say, what they do, and to whom."""

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from checkpoints.models import Claim, Run
from execution.problems import models, sorting
from execution.problems.models import Problem, ProblemChange
from tests.engine.turns import Bench
from tests.execution.pages.visits import at, signed_in, words
from tests.execution.problems.making import combo, failed, held, measured, moved, past
from tests.people import bob, cy, eve, make_tenant

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def operator(engine: Bench) -> Client:
    return signed_in(engine.starter)


def page_of(engine: Bench, fingerprint: str, rest: str = "") -> str:
    return at(engine, f"problems/{fingerprint}/{rest}")


def test_home_says_how_much_of_what_is_wrong(engine: Bench, operator: Client) -> None:
    for amount in (4_400_000, 4_412_000):
        measured(held(engine).run_id, amount=amount, currency="EUR", recipients=1)
    said = words(operator.get(at(engine)))
    assert "2 runs of steps · 88,120.00 EUR · 2 recipients · outcome unknown" in said
    assert "Cannot be undone, if it happened" in said
    assert "Outcome unknown 2" in said


def test_home_puts_the_worst_first(engine: Bench, operator: Client) -> None:
    failed(engine)
    held(engine, "x", "crash_loop")
    held(engine, "two", "duplicate_effect")
    held(engine, "z", "outcome_unknown")
    said = words(operator.get(at(engine)))
    order = ["duplicate effect", "outcome unknown", "crash loop"]
    places = [said.index(f"1 run of steps · {kind}") for kind in order]
    assert places == sorted(places)


def test_what_is_hidden_is_counted_and_shown(engine: Bench, operator: Client) -> None:
    case = held(engine)
    data = {"snooze-hours": "1", "snooze-reason": "known outage"}
    answer = operator.post(page_of(engine, case.fingerprint, "snoozes/"), data)
    assert answer.status_code == 302
    home = words(operator.get(at(engine)))
    assert "Hidden by your filter: 1 ( 1 put off , 0 resolved )" in home
    assert "Outcome unknown 1" in home  # it still needs a person
    assert "1 run of steps · outcome unknown" not in home
    listed = words(operator.get(at(engine, "problems/"), {"show": "snoozed"}))
    assert "1 run of steps · outcome unknown" in listed
    page = words(operator.get(page_of(engine, case.fingerprint)))
    assert "“known outage”" in page
    woken = {"what": "woken", "reason": "now"}
    assert operator.post(page_of(engine, case.fingerprint, "changes/"), woken).status_code == 302
    assert "1 run of steps · outcome unknown" in words(operator.get(at(engine)))


def test_resolved_and_taken_back_from_the_page(engine: Bench, operator: Client) -> None:
    run = failed(engine)
    sorting.sort()
    fingerprint = Problem.objects.get().fingerprint
    url = page_of(engine, fingerprint, "changes/")
    data = {"what": "resolved", "combo": run.combo_id, "reason": "mended"}
    assert operator.post(url, data).status_code == 302
    assert "1 resolved" in words(operator.get(at(engine)))
    assert "Resolved it comes back by itself" in words(operator.get(page_of(engine, fingerprint)))
    data = {"what": "reopened", "combo": run.combo_id, "reason": "it was not"}
    assert operator.post(url, data).status_code == 302
    assert list(ProblemChange.objects.order_by("id").values_list("what", flat=True)) == [
        models.RESOLVED,
        models.REOPENED,
    ]


def test_the_page_counts_by_combo_and_lists_its_runs(engine: Bench, operator: Client) -> None:
    first, second = failed(engine), failed(engine)
    other = combo("other")
    moved(second, other)
    page = words(operator.get(page_of(engine, Problem.objects.get().fingerprint)))
    assert str(other) in page
    assert str(Run.objects.select_related("combo").get(pk=first.pk).combo) in page
    for run in (first, second):
        assert run.business_key in page


def test_a_long_list_goes_on_behind_the_last_one(
    engine: Bench, operator: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("execution.problems.detail.A_PAGE", 2)
    made = [held(engine) for _ in range(3)]
    sorting.sort()
    url = page_of(engine, made[0].fingerprint)
    first = operator.get(url)
    assert first.context["older"] is not None
    rest = operator.get(url, {"before": first.context["older"]})
    shown = [member.run.pk for page in (first, rest) for member in page.context["runs"]]
    assert shown == [case.run_id for case in reversed(made)]


def test_somebody_is_at_it_and_another_takes_it_over(engine: Bench, operator: Client) -> None:
    case = held(engine)
    url = page_of(engine, case.fingerprint, "claims/")
    assert operator.post(url, {"what": "claim"}).status_code == 302
    assert "Ada" in words(operator.get(at(engine)))
    other = signed_in(eve(engine.tenant))
    assert other.post(url, {"what": "claim"}).status_code == 409
    data = {"snooze-hours": "1", "snooze-reason": "x"}
    assert other.post(page_of(engine, case.fingerprint, "snoozes/"), data).status_code == 409
    assert other.post(url, {"what": "take_over"}).status_code == 302
    assert Claim.objects.get(ended="").holder.name == "Eve"
    assert other.post(url, {"what": "nonsense"}).status_code == 422


def test_an_open_page_keeps_the_claim_and_a_colleague_is_handed_it(
    engine: Bench, operator: Client
) -> None:
    case, other = held(engine), eve(engine.tenant)
    url = page_of(engine, case.fingerprint, "claims/")
    assert operator.post(url, {"what": "keep"}).status_code == 409
    operator.post(url, {"what": "claim"})
    assert "every 60s" in operator.get(page_of(engine, case.fingerprint)).content.decode()
    assert operator.post(url, {"what": "keep"}).status_code == 204
    assert signed_in(other).post(url, {"what": "keep"}).status_code == 409
    assert operator.post(url, {"what": "hand_over"}).status_code == 422
    stranger = {"what": "hand_over", "colleague": cy().pk}
    assert operator.post(url, stranger).status_code == 422
    assert operator.post(url, {"what": "hand_over", "colleague": other.pk}).status_code == 302
    assert Claim.objects.get(ended="").holder == other


def test_a_form_that_says_too_little_changes_nothing(engine: Bench, operator: Client) -> None:
    case = held(engine)
    for rest, data in (
        ("snoozes/", {"snooze-hours": "1", "snooze-reason": " "}),
        ("snoozes/", {"snooze-hours": "", "snooze-reason": "x"}),
        ("changes/", {"what": "resolved", "reason": "x"}),
        ("changes/", {"what": "woken", "reason": ""}),
        ("changes/", {"what": "gone", "reason": "x"}),
    ):
        assert operator.post(page_of(engine, case.fingerprint, rest), data).status_code == 422
    assert not ProblemChange.objects.exists()


def test_a_stuck_problem_has_a_page_and_can_be_put_off(engine: Bench, operator: Client) -> None:
    run = engine.start(steps=1)
    past(run.pk, due_at=9999)
    assert "1 run of steps · stuck: not started yet" in words(operator.get(at(engine)))
    listed = operator.get(at(engine, "problems/")).context["overview"].lines[0]
    url = page_of(engine, listed.problem.fingerprint)
    assert run.business_key in words(operator.get(url))
    data = {"snooze-hours": "4", "snooze-reason": "no workers at night"}
    assert operator.post(url + "snoozes/", data).status_code == 302
    assert "Hidden by your filter: 1" in words(operator.get(at(engine)))
    engine.turn()
    assert "Hidden by your filter" not in words(operator.get(at(engine)))
    assert "Nothing counts to it any more." in words(operator.get(url))


def test_a_stranger_and_a_foreign_tenant_find_nothing(engine: Bench) -> None:
    case = held(engine)
    sorting.sort()
    for client in (signed_in(cy()), signed_in(eve(make_tenant("elsewhere")))):
        assert client.get(at(engine, "problems/")).status_code == 404
        assert client.get(page_of(engine, case.fingerprint)).status_code == 404
        for rest in ("snoozes/", "changes/", "claims/"):
            assert client.post(page_of(engine, case.fingerprint, rest)).status_code == 404
    own = signed_in(eve(make_tenant("elsewhere")))
    assert own.get(f"/t/elsewhere/problems/{case.fingerprint}/").status_code == 404
    assert own.get(f"/t/elsewhere/problems/{'0' * 64}/").status_code == 404


def test_who_only_looks_is_offered_no_verb(engine: Bench) -> None:
    case = held(engine)
    viewer = signed_in(bob(engine.tenant))
    page = viewer.get(page_of(engine, case.fingerprint)).content.decode()
    for rest in ("snoozes/", "changes/", "claims/"):
        assert page_of(engine, case.fingerprint, rest) not in page
        assert viewer.post(page_of(engine, case.fingerprint, rest)).status_code == 403


def test_pages_cost_the_same_for_one_problem_and_for_many(
    engine: Bench, operator: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    first = held(engine)
    sorting.sort()
    addresses = [at(engine), at(engine, "problems/"), page_of(engine, first.fingerprint)]
    counted = []
    for address in addresses:
        with django_assert_max_num_queries(45) as few:
            operator.get(address)
        counted.append(len(few.captured_queries))
    for n in range(6):
        held(engine, f"error {'abcdef'[n] * 3}")
        held(engine)
    sorting.sort()
    for address, few_queries in zip(addresses, counted, strict=True):
        with django_assert_max_num_queries(few_queries):
            operator.get(address)
