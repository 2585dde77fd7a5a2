"""More fake tools for the matrix: calls that outlive their caller, slow margins, and broken ones.

A *late* tool hands its request to a process of its own and waits for it, as git does with a push:
whoever kills the worker meanwhile does not stop the effect. The boundary `flight:before` stands in
that wait. Effect and tombstone compete for one name, made by `link`, which has one winner.
"""

import json
import os
import subprocess
import time
from pathlib import Path

from canonical import digests
from checkpoints.boundaries import boundary
from reconciliation.tools import Absent, Call, Capabilities, Found, Keyed, Sent
from tests.engine.faketools import Fake, world

FLIGHT_SECONDS = 0.8


class Late(Fake):
    """The effect comes `FLIGHT_SECONDS` after the request, whatever becomes of who asked."""

    def perform(self, call: Call) -> Sent:
        place = world() / f"effect-{self._place(call)}"
        if not place.exists() and self._is_first(call):
            self._launch(call, place)
        boundary("flight:before")
        end = time.monotonic() + self.budget_seconds
        while not place.exists():
            if time.monotonic() > end:
                raise TimeoutError("no answer")
            time.sleep(0.01)
        boundary("flight:after")
        if not self._at_place(call)["key"]:
            raise FileExistsError("the place is taken")
        return Sent(self._stored(call), digests.sha256_hex(call.parameter_bytes))

    def _is_first(self, call: Call) -> bool:
        """A tool that locks a key in flight takes no second request of it."""
        keyed = self.capabilities.keyed
        if keyed is None or not keyed.locks_in_flight:
            return True
        try:
            os.close(os.open(world() / f"flight-{self._place(call)}", os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return False
        return True

    def _launch(self, call: Call, place: Path) -> None:
        effect = {**json.loads(self._receipt(call)), "key": call.key, "attempt": call.attempt_id}
        draft = world() / f"draft-{call.attempt_id}"
        draft.write_text(json.dumps(effect))
        script = f'sleep {FLIGHT_SECONDS}; ln "$0" "$1" 2>/dev/null'
        subprocess.Popen(["sh", "-c", script, str(draft), str(place)], start_new_session=True)


class Unlocked(Late):
    """Remembers only *finished* calls of a key: two in flight would both have their effect."""

    def perform(self, call: Call) -> Sent:
        found = self.look_up(call)
        if isinstance(found, Found):
            return Sent(found.receipt, digests.sha256_hex(call.parameter_bytes))
        return super().perform(call)

    def _place(self, call: Call) -> str:
        return f"{call.key[:24]}-{call.attempt_id}"


class Unhurried(Fake):
    """With the margins of production."""

    budget_seconds = 30
    margin_seconds = 60


class Forgetful(Fake):
    """Broken on purpose: it says that nothing is there, whatever is."""

    budget_seconds = 1
    margin_seconds = 0

    def look_up(self, call: Call) -> Found | Absent:
        return Absent()


class Unheard(Fake):
    """It has its effect, and whoever asked never hears of it. Its window is soon over."""

    budget_seconds = 1
    margin_seconds = 0

    def perform(self, call: Call) -> Sent:
        super().perform(call)
        raise ConnectionError("the answer was lost")


class Unsent(Unheard):
    """The first request of a key is lost on the way, and the second comes through."""

    def perform(self, call: Call) -> Sent:
        try:
            (world() / f"lost-{call.key[:24]}").touch(exist_ok=False)
        except FileExistsError:
            return Fake.perform(self, call)
        raise ConnectionError("the request was lost")


REMEMBERS = 3600
LATE = (
    Late("late.void", Capabilities(void=True, look_up=True)),
    Late("late.keyed", Capabilities(keyed=Keyed(REMEMBERS, locks_in_flight=True))),
    Unlocked("late.unlocked", Capabilities(keyed=Keyed(REMEMBERS, locks_in_flight=False))),
    Late("late.look_up", Capabilities(look_up=True)),
    Late("late.nothing", Capabilities()),
)
UNHURRIED = (
    Unhurried("slow.void", Capabilities(void=True, look_up=True)),
    Unhurried("slow.keyed", Capabilities(keyed=Keyed(REMEMBERS, locks_in_flight=False))),
    Unhurried("slow.look_up", Capabilities(look_up=True)),
    Unhurried("slow.nothing", Capabilities()),
)
UNHEARD = (
    Unheard("unheard.nothing", Capabilities()),
    Unsent("unsent.nothing", Capabilities()),
)
BROKEN = (Forgetful("broken.forgetful", Capabilities(look_up=True)),)
ALL = (*LATE, *UNHURRIED, *UNHEARD, *BROKEN)
