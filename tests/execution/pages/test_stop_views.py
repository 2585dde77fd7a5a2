"""Stopping and lifting: what is said before the button, and what the button does."""

import pytest
from django.test import Client

from checkpoints.models import CallOut, Case, Lifting, Run, Stop
from reconciliation import stopping, verdicts
from reconciliation.verdicts import Given
from tenants.actors import Actor
from tenants.models import AuditRow
from tests.checkpoints.lifts import confirmed, proposed
from tests.engine.turns import Bench
from tests.execution.pages.test_operating_views import unknown, waiting
from tests.execution.pages.visits import PASSWORD, at, page_of, proved_in, signed_in, words
from tests.people import bob, eve, make_tenant

pytestmark = pytest.mark.django_db(transaction=True)

MACHINE = Actor.machine("ground")


@pytest.fixture
def operator(engine: Bench) -> Client:
    return signed_in(engine.starter)


def stopped(engine: Bench) -> Stop:
    return stopping.stop(engine.tenant, "effects", why="x", actor=Actor.person(engine.starter))


def test_stopping_effects_holds_an_approved_effect_back(engine: Bench, operator: Client) -> None:
    run = waiting(engine)
    engine.decide(run)
    said = words(operator.get(at(engine, "stop/")))
    assert "Stop effects: 1 approved held back, 0 out already" in said
    answer = operator.post(at(engine, "stop/"), {"lock": "effects", "reason": "wrong"}, follow=True)
    assert "No more effects are sent." in words(answer)
    assert "No call was out when it came" in words(answer)
    engine.turn()
    run.refresh_from_db()
    assert (run.status, run.reason) == ("waiting", "for_stop")
    assert "See the stop, and lift it" in words(operator.get(page_of(engine, run)))


def test_the_stop_page_says_what_was_out_and_what_became_of_it(
    engine: Bench, operator: Client
) -> None:
    unknown(engine)
    operator.post(at(engine, "stop/"), {"lock": "effects", "reason": "two answers"})
    said = words(operator.get(at(engine, "stop/")))
    assert "1 call was out when it came. Stopping: 1 call is still out" in said
    assert f"Effects for {engine.tenant.name}: stopping, 1 call still out." in said
    assert "0 happened, 0 did not, 0 written off, 1 not known" in said
    assert "Outcome unknown" in said
    assert "Why: two answers" in said
    assert "Effects are stopped already." in said


def test_what_became_of_a_caught_call_is_asked_until_it_is_known(
    engine: Bench, operator: Client
) -> None:
    run = unknown(engine)
    stop = stopped(engine)
    url = at(engine, f"stop/{stop.pk}/calls/")
    assert operator.get(url).status_code == 200
    case = Case.objects.get(run=run)
    given = Given("it_happened", "seen", "in the mailbox of the customer")
    verdicts.give(case.id, given, user=engine.approver)
    answer = operator.get(url)
    assert answer.status_code == 286
    assert "Stopped: what became of each is known, and nothing is under way." in words(answer)
    assert "Happened" in words(answer)


def test_a_stop_needs_a_reason_and_a_lock(engine: Bench, operator: Client) -> None:
    for form in ({"lock": "effects", "reason": " "}, {"lock": "all", "reason": "x"}, {}):
        assert operator.post(at(engine, "stop/"), form).status_code == 422
    assert not Stop.objects.exists()


def test_stopping_new_runs_refuses_a_start_and_keeps_what_was_typed(
    engine: Bench, operator: Client
) -> None:
    operator.post(at(engine, "stop/"), {"lock": "new_runs", "reason": "audit week"})
    form = {"task_type": "steps", "business_key": "k-17", "input": '{"steps": 1}'}
    answer = operator.post(at(engine, "runs/start/"), form)
    assert answer.status_code == 422
    assert "audit week" in words(answer)
    assert 'value="k-17"' in answer.content.decode()
    assert not Run.objects.exists()


def test_one_thing_is_stopped_with_the_numbers_of_that_thing(
    engine: Bench, operator: Client
) -> None:
    engine.decide(waiting(engine))
    said = words(operator.get(at(engine, "stop/?where=here:tool:fake.keyed")))
    assert "Stop effects: 0 approved held back, 0 out already" in said
    form = {"where": "here:tool:fake.void", "lock": "effects", "reason": "wrong tool"}
    answer = operator.post(at(engine, "stop/"), form, follow=True)
    made = Stop.objects.get()
    assert (made.tenant, made.tool) == (engine.tenant, "fake.void")
    assert f"Effects with fake.void are stopped for {engine.tenant.name}." in words(answer)
    assert "1 approval is unused and held back." in words(answer)


def test_what_is_no_choice_of_this_person_is_not_stopped(engine: Bench, operator: Client) -> None:
    """Everything takes the right at every tenant, and so does one thing of every tenant."""
    make_tenant("other")
    for where in ("everywhere", "everywhere:tool:fake.void", "here:tool:unheard", "nonsense"):
        form = {"where": where, "lock": "effects", "reason": "x"}
        assert operator.post(at(engine, "stop/"), form).status_code == 422
    assert "Every tenant at once takes the right" in words(operator.get(at(engine, "stop/")))
    assert not Stop.objects.exists()


def test_who_operates_every_tenant_stops_everything(engine: Bench, operator: Client) -> None:
    form = {"where": "everywhere", "lock": "effects", "reason": "incident"}
    answer = operator.post(at(engine, "stop/"), form, follow=True)
    assert "Effects are stopped everywhere." in words(answer)
    assert Stop.objects.get().tenant is None


def test_a_page_of_no_tenant_leads_to_the_stops_of_all(engine: Bench, operator: Client) -> None:
    answer = operator.get("/stop/")
    assert "Everything, at every tenant" in words(answer)
    assert at(engine, "stop/") in answer.content.decode()
    make_tenant("other")
    assert "Everything, at every tenant" not in words(operator.get("/stop/"))


def test_a_stop_is_lifted_by_two_and_what_waited_goes_on_bit_by_bit(
    engine: Bench, operator: Client
) -> None:
    run = waiting(engine)
    stop = stopped(engine)
    engine.decide(run)
    engine.turn()
    url, second = at(engine, f"stop/{stop.pk}/lifting/"), proved_in(eve(engine.tenant))
    operator = proved_in(engine.starter)
    assert "Propose to lift: 1 run goes on, 1 approved effect may be sent" in words(
        operator.get(at(engine, "stop/"))
    )
    assert operator.post(url, {}).status_code == 422
    given = {f"lift-{stop.pk}-reason": "all is well", f"lift-{stop.pk}-pace": "30"}
    assert operator.post(url, given).status_code == 302
    made = Lifting.objects.get()
    said = words(operator.get(at(engine, "stop/")))
    assert "Ada proposes to lift it" in said
    assert "You proposed it, so somebody else has to confirm it." in said
    confirmation = f"{url}{made.pk}/confirmation/"
    refused = operator.post(confirmation)
    assert (refused.status_code, "somebody else has to" in words(refused)) == (403, True)
    said = words(second.get(at(engine, "stop/")))
    assert "Lift it: 1 run goes on, 30 a minute; 1 approved effect may be sent" in said
    answer = second.post(confirmation, follow=True)
    assert "0 runs went on, 1 wait here still; 30 a minute." in words(answer)
    stop.refresh_from_db()
    assert stop.lifted_by == "Ada and Eve"
    again = second.post(confirmation)
    assert (again.status_code, "Ada and Eve lifted it already" in words(again)) == (409, True)


def test_lifting_leads_to_confirming_and_back_and_never_replays(
    engine: Bench, operator: Client
) -> None:
    engine.starter.set_password(PASSWORD)
    engine.starter.save()
    operator = signed_in(engine.starter)
    stop, page = stopped(engine), at(engine, "stop/")
    url = f"{page}{stop.pk}/lifting/"
    given = {f"lift-{stop.pk}-reason": "the bank answers", f"lift-{stop.pk}-pace": "7"}
    assert "You confirm first that it is you" in words(operator.get(page))
    answer = operator.post(url, given)
    assert answer.headers["Location"].startswith("/confirm/?next=%2Ft%2F")
    back = operator.post("/confirm/", {"password": PASSWORD, "next": f"{page}#stop-{stop.pk}"})
    assert back.headers["Location"] == f"{page}#stop-{stop.pk}"
    assert not Lifting.objects.exists()
    shown = operator.get(page)
    assert "the bank answers" in words(shown)
    assert 'value="7"' in shown.content.decode()
    assert "You confirm first" not in words(shown)
    operator.post(url, given)
    assert Lifting.objects.get().per_minute == 7
    assert "the bank answers" not in operator.session.get("confirming.draft", "")
    second = signed_in(eve(engine.tenant))
    confirmation = f"{url}{Lifting.objects.get().pk}/confirmation/"
    assert second.post(confirmation).headers["Location"].startswith("/sign-in/again/?next=")
    assert Stop.objects.get().lifted_at is None


def test_a_proposal_is_withdrawn_and_the_stop_stays(engine: Bench, operator: Client) -> None:
    stop = stopped(engine)
    made = proposed(stop)
    url = at(engine, f"stop/{stop.pk}/lifting/{made.pk}/withdrawal/")
    assert "The proposal is withdrawn. The stop stays." in words(operator.post(url, follow=True))
    assert operator.post(url).status_code == 409
    stop.refresh_from_db()
    assert stop.lifted_at is None


def test_nothing_is_lifted_by_opening_a_page(engine: Bench, operator: Client) -> None:
    stop = stopped(engine)
    made = proposed(stop)
    for rest in ("", f"{made.pk}/confirmation/", f"{made.pk}/withdrawal/"):
        url = at(engine, f"stop/{stop.pk}/lifting/{rest}")
        assert [operator.get(url).status_code, operator.head(url).status_code] == [405, 405]
    stop.refresh_from_db()
    assert (stop.lifted_at, Lifting.objects.get().ended) == (None, "")


def test_who_only_watches_neither_stops_nor_lifts_and_is_on_record(engine: Bench) -> None:
    stop = stopped(engine)
    made = proposed(stop)
    watcher = signed_in(bob(engine.tenant))
    rests = (
        "",
        f"{stop.pk}/lifting/",
        f"{stop.pk}/lifting/{made.pk}/confirmation/",
        f"{stop.pk}/lifting/{made.pk}/withdrawal/",
    )
    for rest in rests:
        given = {"lock": "new_runs", "reason": "x"}
        assert watcher.post(at(engine, f"stop/{rest}"), given).status_code == 403
    assert "Two people who may operate runs lift it" in words(watcher.get(at(engine, "stop/")))
    assert AuditRow.objects.filter(verb="refused_operate_runs").count() == len(rests)


def test_a_stop_of_another_tenant_is_not_there(engine: Bench, operator: Client) -> None:
    other = make_tenant("other")
    stop = stopping.stop(other, "effects", why="x", actor=MACHINE)
    made = proposed(stop)
    mine = proposed(stopped(engine))
    wrong = f"{stop.pk}/lifting/{mine.pk}"
    for rest in (f"{stop.pk}/lifting/", f"{stop.pk}/lifting/{made.pk}/confirmation/", wrong):
        assert operator.post(at(engine, f"stop/{rest}")).status_code == 404
    assert operator.get(at(engine, f"stop/{stop.pk}/calls/")).status_code == 404


def test_a_stop_of_everything_is_lifted_by_those_of_every_tenant_and_shows_each_its_own(
    engine: Bench, operator: Client
) -> None:
    unknown(engine)
    other = make_tenant("other")
    stop = stopping.stop(None, "effects", why="restore", actor=MACHINE)
    assert CallOut.objects.get().tenant == engine.tenant
    said = words(operator.get(at(engine, "stop/")))
    assert "Effects everywhere: stopping, 1 call still out." in said
    assert "lifted by two people who may operate runs at each of them" in said
    given = {f"lift-{stop.pk}-reason": "x", f"lift-{stop.pk}-pace": "30"}
    operator = proved_in(engine.starter)
    refused = operator.post(at(engine, f"stop/{stop.pk}/lifting/"), given)
    assert (refused.status_code, "at each" in words(refused)) == (403, True)
    neighbour = signed_in(eve(other))
    assert "write a-0" not in words(neighbour.get(f"/t/{other.slug}/stop/"))
    stop.refresh_from_db()
    assert stop.lifted_at is None
    assert confirmed(proposed(stop)).lifted_at
