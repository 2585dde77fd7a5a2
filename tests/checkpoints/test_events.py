"""The history of a run."""

from checkpoints import events
from checkpoints.models import Event
from tenants.actors import Actor
from tenants.keys import hiding
from tests.checkpoints.records import refused
from tests.engine.turns import Bench


def test_an_event_says_what_who_and_when(engine: Bench) -> None:
    run = engine.start()
    events.append(run.id, "noted", Actor.person(engine.starter), why=hiding.text("because"))
    event = Event.objects.filter(run=run).latest("id")
    assert (event.what, event.actor, event.detail) == ("noted", "Ada", {"why": "because"})
    assert event.at is not None


def test_events_keep_their_order(engine: Bench) -> None:
    run = engine.start()
    for what in ("one", "two", "three"):
        events.append(run.id, what, Actor.machine("test"))
    whats = list(Event.objects.filter(run=run).order_by("id").values_list("what", flat=True))
    assert whats == ["started", "one", "two", "three"]


def test_the_database_refuses_to_change_or_delete_an_event(engine: Bench) -> None:
    engine.start()
    with refused("UPDATE of checkpoints_event_any refused"):
        Event.objects.update(what="never")
    with refused("DELETE of checkpoints_event_any refused"):
        Event.objects.all().delete()
