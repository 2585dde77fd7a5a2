"""What is killed: graphs, tools and answers that together pass every boundary there is."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from agents.fleet_change.proposing import MAIL
from reconciliation import verdicts
from tests.crash import registry, services
from tests.crash.points import EDIT, JUDGE, PLAN, Point
from tests.crash.rulings import (
    AGREE,
    AGREE_TOO_LATE,
    DECLINE,
    TAKE_BACK,
    TAKE_BACK_AT_END,
    Word,
    give,
)
from tests.crash.worlds import REPOSITORY, Place

Content = Callable[[Place], Mapping[str, object]]


def everywhere(_point: Point) -> bool:
    return True


@dataclass(frozen=True)
class Scenario:
    """One kind of run. `kills` says which of the recorded points are its own to be killed at.

    `nobody_can_know` are the tools of it whose unknown outcomes are a person's to decide.
    `slow_remote`: the remote thinks about a push, and whoever pushes dies meanwhile. `cancelled`:
    somebody cancels the run after its first death. `revoked`: a person takes it from its dead worker,
    before anybody else notices. `mended_by`: it is held, and goes on after an edit (two people write its
    state by hand) or a plan. `forked`: once it has ended, it is forked from before its effect, and
    the fork ends too. `moved`: while it waits for a yes it is ordered to a combo whose code reads an
    older state. `words`: what people say of its cases, and take back. `refunds`: there is a shop, with a ticket of
    its own. `service`: the declared tool whose service is running. `recovery_kills`: recoveries are killed too, and every death is noticed in both ways. `sweeper_kills`: so are the
    sweeper's ordinary rounds. `variant`: that of the combo it is pinned to.
    """

    name: str
    task_type: str
    content: Content
    answers: tuple[str, ...] = ("approve",)
    nobody_can_know: tuple[str, ...] = ()
    pushes: bool = False
    refunds: bool = False
    service: str = ""
    slow_remote: bool = False
    cancelled: bool = False
    revoked: bool = False
    forked: bool = False
    moved: bool = False
    mended_by: str = ""
    words: tuple[Word, ...] = ()
    kills: Callable[[Point], bool] = everywhere
    recovery_kills: bool = True
    sweeper_kills: bool = False
    patience_seconds: float = 120
    variant: str = ""


def _acting(tool: str) -> Content:
    return lambda _place: {"steps": 2, "tool": tool, "what": "a"}


def _paying(tool: str) -> Content:
    return lambda place: {"tool": tool, "order": place.business_key}


def _around_the_call(point: Point) -> bool:
    return point.boundary.partition(":")[0] in ("dispatch", "effect", "flight", "receipt")


def _before_the_call(point: Point) -> bool:
    return point.boundary == "effect:before"


def by_who_decides(point: Point) -> bool:
    return point.role == JUDGE


def _fleet(place: Place) -> Mapping[str, object]:
    rule = {"kind": "codemod", "name": "explicit-encoding"}
    return {
        "repository": REPOSITORY,
        "rule": rule,
        "maintainer": place.recipient,
        "campaign": "crash",
    }


PLAIN = (
    Scenario("steps", registry.STEPS, lambda _place: {"steps": 2}),
    Scenario("void", registry.STEPS, _acting("fake.void"), sweeper_kills=True),
    Scenario("keyed", registry.STEPS, _acting("fake.keyed")),
    Scenario("look_up", registry.STEPS, _acting("fake.look_up")),
    Scenario("nothing", registry.STEPS, _acting("fake.nothing"), nobody_can_know=("fake.nothing",)),
    Scenario("sent_back", registry.STEPS, _acting("fake.void"), ("send_back", "approve")),
    Scenario("rejected", registry.STEPS, _acting("fake.void"), ("reject",)),
    Scenario("edited", registry.EDITED, lambda _place: {}, mended_by=EDIT),
    Scenario("planned", registry.PLANNED, lambda _place: {}, mended_by=PLAN),
    Scenario("forked", registry.STEPS, _acting("fake.void"), forked=True),
    Scenario("forked_over", registry.RENEWED, _acting("fake.keyed"), forked=True),
    Scenario("moved", registry.MOVED, _acting("fake.void"), moved=True),
    Scenario("revoked", registry.STEPS, _acting("fake.void"), kills=_around_the_call, revoked=True),
)
LATE = tuple(
    Scenario(
        f"late_{kind}",
        registry.STEPS,
        _acting(f"late.{kind}"),
        nobody_can_know=("late.nothing",),
        kills=_around_the_call,
        recovery_kills=False,
    )
    for kind in ("void", "keyed", "unlocked", "look_up", "nothing")
)
CANCELLED = tuple(
    Scenario(
        f"cancelled_{kind}",
        registry.STEPS,
        _acting(f"{kind}.void" if kind == "late" else f"fake.{kind}"),
        kills=_around_the_call,
        cancelled=True,
    )
    for kind in ("void", "look_up", "late")
)
REAL = (
    Scenario(
        "repository_report",
        "repository_report",
        lambda _place: {"repository": REPOSITORY, "limit": 10},
        pushes=True,
    ),
    Scenario(
        "fleet_change",
        "fleet_change",
        _fleet,
        nobody_can_know=(MAIL,),
        pushes=True,
        sweeper_kills=True,
    ),
    Scenario(
        "fleet_late",
        "fleet_change",
        _fleet,
        nobody_can_know=(MAIL,),
        pushes=True,
        slow_remote=True,
        recovery_kills=False,
    ),
    Scenario(
        "fleet_sent_back",
        "fleet_change",
        _fleet,
        ("send_back", "approve", "send_back", "approve"),
        nobody_can_know=(MAIL,),
        pushes=True,
        recovery_kills=False,
    ),
)
# Effects in systems that others wrote: SQL and objects have void, the tracker can be asked.
REFUNDS = (
    Scenario(
        "refund_desk",
        "refund_desk",
        lambda place: {"ticket": place.ticket},
        nobody_can_know=(MAIL,),
        refunds=True,
        recovery_kills=False,
    ),
    # Its agent asks for the money again; whoever reads the second question says no.
    Scenario(
        "refund_twice",
        "refund_desk",
        lambda place: {"ticket": place.ticket},
        ("approve", "reject"),
        variant="careless",
        refunds=True,
        kills=_around_the_call,
    ),
)
# Declared HTTP tools, and services that keep a key, or let an effect be made impossible.
DECLARED = tuple(
    Scenario(
        f"http_{name}",
        registry.PAYING,
        _paying(tool),
        service=tool,
        kills=_around_the_call,
        recovery_kills=False,
    )
    for name, tool in (("keyed", services.KEYED), ("void", services.VOID))
)
# People decide and are killed; who is back looks what the record has of their words.
RULED = tuple(
    Scenario(
        f"ruled_{name}",
        registry.BACK if tool == "" else registry.RULED,
        _acting(tool),
        words=words,
        kills=by_who_decides,
    )
    for name, tool, words in (
        (
            "by_two",
            "unheard.nothing",
            (
                *(give(verdicts.WRITE_OFF), Word(TAKE_BACK)),
                *(give(verdicts.IT_HAPPENED), Word(AGREE)),
            ),
        ),
        (
            "declined",
            "unsent.nothing",
            (
                *(give(verdicts.IT_HAPPENED), Word(AGREE_TOO_LATE)),
                *(give(verdicts.IT_HAPPENED), Word(DECLINE), give(verdicts.WRITE_OFF)),
            ),
        ),
        (
            "again",
            "unsent.nothing",
            (give(verdicts.IT_DID_NOT), Word(TAKE_BACK), give(verdicts.SEND_AGAIN)),
        ),
        ("undone", "unheard.nothing", (give(verdicts.COMPENSATE),)),
        (
            "called_off",
            "unsent.nothing",
            (give(verdicts.COMPENSATE), Word(TAKE_BACK), give(verdicts.WRITE_OFF_AND_STOP)),
        ),
        (
            "contradicted",
            "unheard.nothing",
            (
                *(give(verdicts.IT_DID_NOT), Word(TAKE_BACK_AT_END)),
                *(give(verdicts.IT_HAPPENED), Word(AGREE)),
            ),
        ),
        (
            "back",
            "",
            (
                *(give(verdicts.GO_ON_FROM, seq=1), Word(TAKE_BACK)),
                *(give(verdicts.TRY_AGAIN), Word(DECLINE), give(verdicts.GO_ON_FROM, seq=0)),
            ),
        ),
    )
)
# One trial for each kind of tool with the margins of production (rule 9).
UNHURRIED = tuple(
    Scenario(
        f"slow_{kind}",
        registry.STEPS,
        _acting(f"slow.{kind}"),
        nobody_can_know=("slow.nothing",),
        kills=_before_the_call,
        recovery_kills=False,
        patience_seconds=300,
    )
    for kind in ("void", "keyed", "look_up", "nothing")
)
# Broken on purpose: the matrix must find what is wrong with each.
BROKEN = (
    # Right by itself: for an engine that is broken on purpose.
    Scenario("for_mutants", registry.STEPS, _acting("fake.look_up"), kills=_around_the_call),
    Scenario("forgetful_tool", registry.STEPS, _acting("broken.forgetful"), kills=_around_the_call),
    Scenario("careless_node", registry.CARELESS, lambda _place: {"steps": 2}),
)
ALL = (*PLAIN, *LATE, *CANCELLED, *REAL, *REFUNDS, *DECLARED, *RULED, *UNHURRIED)
# Every boundary, and every kind of tool, once.
SHORT = (
    *("steps", "void", "keyed", "look_up", "nothing", "sent_back"),
    *("late_void", "cancelled_void", "fleet_change", "fleet_late"),
    *("refund_desk", "refund_twice", "edited", "planned", "forked_over", "revoked"),
    *("moved", "ruled_by_two", "ruled_declined", "ruled_called_off"),
)
BY_NAME = {scenario.name: scenario for scenario in (*ALL, *BROKEN)}
