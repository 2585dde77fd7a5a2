"""Everything that workers, people, time and faults can do to runs, as rules in any order."""

from django.db.models import QuerySet
from hypothesis import strategies as some
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from checkpoints import states
from checkpoints.models import Run
from tests.engine.turns import Bench
from tests.statemachine import people, strangers, times
from tests.statemachine.checks import Seen, check
from tests.statemachine.hands import BEFORE_THE_EFFECT, Hand

TOOLS = ("fake.void", "fake.keyed", "fake.look_up", "fake.nothing")
FAULTS = ("drop_answer", "silent", "refuse")
HANDS = some.integers(0, 2)
WHICH = some.integers(0, 3)
MOST_RUNS = 4
LONGEST = 60  # boundaries of one turn
ROUNDS = 30


class Machine(RuleBasedStateMachine):
    """Three workers, a tenant and its neighbour; the record is PostgreSQL, the world a folder."""

    def __init__(self, bench: Bench, neighbour: Bench) -> None:
        super().__init__()
        self.bench, self.neighbour, self.seen = bench, neighbour, Seen()
        neighbour.start(tool="fake.void", what="a", steps=1)
        self.hands = [Hand(), Hand(), Hand()]

    @property
    def runs(self) -> QuerySet[Run]:
        return Run.objects.filter(tenant=self.bench.tenant)

    def run(self, which: int, *status: str) -> Run | None:
        """One of the tenant's runs, if there are any of this status."""
        runs = list(self.runs.order_by("created_at", "id"))
        found = [run for run in runs if not status or run.status in status]
        return found[which % len(found)] if found else None

    @rule(tool=some.sampled_from(TOOLS), steps=some.integers(1, 2))
    def start(self, tool: str, steps: int) -> None:
        if self.runs.count() < MOST_RUNS:
            self.bench.start(tool=tool, what="a", steps=steps)

    @rule(hand=HANDS)
    def pick_up(self, hand: int) -> None:
        if self.hands[hand].is_idle:
            self.hands[hand].pick_up()

    @rule(hand=HANDS, boundaries=some.integers(1, 8))
    def go_on(self, hand: int, boundaries: int) -> None:
        """One that stood still meanwhile is a stale worker, and does not know it."""
        for _ in range(boundaries):
            if not self.hands[hand].is_idle:
                self.hands[hand].go_on()

    @rule(hand=HANDS)
    def take_a_turn(self, hand: int) -> None:
        worker = self.hands[hand]
        if worker.is_idle:
            worker.pick_up()
        for _ in range(LONGEST):
            if worker.is_idle:
                return
            worker.go_on()

    @rule(hand=HANDS)
    def kill(self, hand: int) -> None:
        self.hands[hand].kill()

    @rule(which=WHICH)
    def give_the_lease_away(self, which: int) -> None:
        run = self.run(which, states.RUNNING)
        if run is not None:
            times.lapse(run)

    @rule()
    def sweep(self) -> None:
        times.sweep()

    @rule(which=WHICH)
    def revoke(self, which: int) -> None:
        run = self.run(which, states.RUNNING)
        if run is not None:
            people.revoke(self.bench, run)

    @rule(which=WHICH, verdict=some.sampled_from(("approve", "approve", "reject", "send_back")))
    def decide(self, which: int, verdict: str) -> None:
        people.decide(self.bench, which, verdict)

    @rule()
    def the_neighbour_decides(self) -> None:
        people.decide(self.neighbour, 0, "approve")

    @rule(which=WHICH)
    def a_stranger_tries(self, which: int) -> None:
        """The neighbour's people may do everything, there."""
        run = self.run(which)
        if run is not None:
            strangers.may_do_nothing(self.neighbour, run)

    @rule()
    def a_stranger_looks(self) -> None:
        strangers.see_nothing(self.neighbour, self.bench.tenant)

    @rule(which=WHICH)
    def withdraw_a_yes(self, which: int) -> None:
        people.withdraw(self.bench, which)

    @rule(which=WHICH)
    def let_a_question_expire(self, which: int) -> None:
        times.expire(which)

    @rule(which=WHICH, choice=WHICH)
    def give_a_verdict(self, which: int, choice: int) -> None:
        people.give_a_verdict(self.bench, which, choice)

    @rule(which=WHICH)
    def cancel(self, which: int) -> None:
        run = self.run(which)
        if run is not None and run.status not in states.FINAL:
            people.cancel(self.bench, run)

    @rule(which=WHICH, back=WHICH)
    def fork(self, which: int, back: int) -> None:
        run = self.run(which, states.HELD, *states.FINAL)
        if run is not None and self.runs.count() < MOST_RUNS:
            people.fork(self.bench, run, max(run.head - back, 0))

    @rule()
    def stop(self) -> None:
        people.stop(self.bench)

    @rule()
    def lift(self) -> None:
        people.lift()

    @rule(fault=some.sampled_from(FAULTS))
    def begin_a_fault(self, fault: str) -> None:
        self.bench.fault(fault)

    @precondition(lambda self: any(self.bench.world.glob("fault-*")))
    @rule()
    def end_faults(self) -> None:
        for fault in self.bench.world.glob("fault-*"):
            fault.unlink()

    @rule()
    def flush_the_doorbell(self) -> None:
        times.flush_the_doorbell()

    @rule()
    def time_passes(self) -> None:
        """What is waited for is here; no deadline is over."""
        times.come()

    @rule()
    def deadlines_and_margins_pass(self) -> None:
        """The kernel's timer ends whoever is about to call."""
        for hand in self.hands:
            if hand.at in BEFORE_THE_EFFECT:
                hand.kill()
        times.close_windows()
        times.come()

    @invariant()
    def nothing_is_wrong(self) -> None:
        check(self.seen)

    def teardown(self) -> None:
        """After the last fault every run comes to an end."""
        for hand in self.hands:
            hand.kill()
        self.end_faults_and_stops()
        for round_ in range(ROUNDS):
            if not Run.objects.exclude(status__in=states.FINAL).exists():
                break
            self._one_round(round_)
        left = Run.objects.exclude(status__in=states.FINAL).values_list(
            "status", "reason", "sentence"
        )
        assert list(left) == [], "a run never ends"
        self.nothing_is_wrong()

    def end_faults_and_stops(self) -> None:
        """Nothing disturbs any more."""
        for fault in self.bench.world.glob("fault-*"):
            fault.unlink()
        people.lift()

    def _one_round(self, number: int) -> None:
        for run in Run.objects.filter(status=states.RUNNING):
            times.lapse(run)
        for which in range(MOST_RUNS):
            for bench in (self.bench, self.neighbour):
                people.decide(bench, which, "approve")
                people.give_a_verdict(bench, which, number)
        times.close_windows()
        times.let_go_on()
        times.come()
        for _ in range(MOST_RUNS + 1):
            self.hands[0].pick_up()
            while not self.hands[0].is_idle:
                self.hands[0].go_on()
