"""A rollback of real runs, whose sweeper and worker are killed wherever they get: the same end each time.

`python -m tests.crash.rolled` kills at every boundary that an undisturbed rollback reaches, each
in a database of its own, and once more in a chain: in every phase, before and after its commit.
"""

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.db import connections

from checkpoints import leases, registry
from checkpoints.models import Run, Stop
from checkpoints.registry import runnable_combos
from checkpoints.states import SUCCEEDED
from execution import lapses, repinning
from releases.models import Move, Release
from releases.rollbacks import choosing, phases, signing, working
from releases.rollbacks.models import Rollback, RollbackRun
from tenants.actors import Actor
from tenants.models import AuditRow, Tenant
from tests.crash import databases
from tests.crash.processes import Ended, live
from tests.engine.faketools import effects
from tests.engine.turns import Bench
from tests.people import ada, dee, make_tenant
from tests.releases.rollbacks.rolling import Rolling
from tests.releases.traffic import Traffic, traffic

TENANT: Final = "rolled"
PATIENCE_SECONDS: Final = 60.0
AFTER_THE_CALL: Final = "effect:after@1"
CHAIN: Final = [
    f"rollback {phase}:{side}@1" for phase in phases.SIX for side in ("before", "after")
]
CHOSEN: Final = (("to fork", "fork"), ("to end", "cancel"), ("to wait", "wait"))


@dataclass(frozen=True)
class Stage:
    """One database, and the folder of its outside world, its journal and what its processes say."""

    database: str
    folder: Path

    def live(self, act: Callable[["Stage"], object], *, kill_at: str = "") -> Ended:
        """One process that acts here, and dies at a boundary if it is told to."""
        connections.close_all()
        return live(partial(_in, self, act), self.folder, kill_at=kill_at)

    def prepared(self) -> "Stage":
        """A canary with runs of every kind, and a rollback that was started and did nothing yet."""
        self._well(self.live(_make_runs))
        dead = self.live(_send, kill_at=AFTER_THE_CALL)
        assert dead.died_at(AFTER_THE_CALL), self.said()
        self._well(self.live(_order))
        return self

    def ended(self, kills: Sequence[str] = ()) -> tuple[dict[str, Any], Ended]:
        """How it stands at the end, killed at each of these in turn; and the last process."""
        for point in kills:
            assert self.live(_carry, kill_at=point).died_at(point), f"{point}: {self.said()}"
        last = self._well(self.live(_carry))
        self._well(self.live(_write_down))
        found: dict[str, Any] = json.loads((self.folder / "stands").read_text())
        return found, last

    def said(self) -> str:
        """The last words of its processes."""
        return (self.folder / "said").read_text(errors="replace")[-3_000:]

    def _well(self, ended: Ended) -> Ended:
        assert ended.in_order, self.said()
        return ended


def _in(stage: Stage, act: Callable[[Stage], object]) -> None:
    databases.switch_to(stage.database)
    settings.KEDGE_AGENTS = "tests.engine.registry"
    settings.KEDGE_JOURNAL_DIR = stage.folder / "journal"
    os.environ["KEDGE_FAKE_WORLD"] = str(stage.folder / "world")
    registry.agents.cache_clear()
    act(stage)


def _rolling(stage: Stage) -> Rolling:
    known = Tenant.objects.filter(slug=TENANT).first()
    tenant = known or make_tenant(TENANT)
    bench = Bench(tenant, ada(tenant), dee(tenant), stage.folder / "world")
    if known is None:
        return Rolling(bench, traffic(bench))
    candidate = Release.objects.get().candidate
    return Rolling(bench, Traffic(tenant, candidate, bench.starter, bench.approver))


def _make_runs(stage: Stage) -> None:
    rolling = _rolling(stage)
    rolling.canary()
    rolling.done(what="done")
    for what in ("asking", "allowed", "sent", *(what for what, _ in CHOSEN)):
        rolling.asking(what=what)
    for what in ("allowed", "sent"):
        run = _run(what)
        rolling.approve(run)
        Run.objects.filter(pk=run.pk).update(due_at=None)
    rolling.run(what="idle", steps=4)


def _send(stage: Stage) -> None:
    """A worker dies in its call: the effect is in the world, and nobody has heard."""
    rolling, run = _rolling(stage), _run("sent")
    Run.objects.filter(pk=run.pk).update(due_at=run.created_at)
    rolling.turn(run)


def _order(stage: Stage) -> None:
    rolling = _rolling(stage)
    rollback = rolling.start(Release.objects.get())
    for what, choice in CHOSEN:
        run = _run(what)
        choosing.choose(rollback.pk, [run.pk], choice, why=what, user=rolling.traffic.ada)


def _carry(stage: Stage) -> None:
    """A sweeper and a worker until the rollback is closed; people sign off what is left."""
    rolling, end = _rolling(stage), time.monotonic() + PATIENCE_SECONDS
    while True:
        lapses.unlocked(actor=Actor.machine("sweeper"))
        working._looks.forget()
        working.carry()
        repinning.move_due()
        while leases.others_are_due(runnable_combos()):
            rolling.bench.turn()
        rollback = Rollback.objects.get()
        if rollback.ended and not Run.objects.filter(status="running").exists():
            return
        if rollback.phase == phases.CLOSING:
            outside = rollback.effects.filter(signed_off="", state__in=phases.OUTSIDE)
            ids = list(outside.values_list("pk", flat=True))
            if ids:
                signing.accept(rollback.pk, ids, reason="it may stand", user=rolling.traffic.ada)
        if time.monotonic() > end:
            raise TimeoutError(f"{rollback.phase}: {rollback.waits_for}")
        time.sleep(0.01)


def _write_down(stage: Stage) -> None:
    """Everything that must be the same however often it was killed; no ids, no times."""
    rollback, route = Rollback.objects.get(), _rolling(stage).traffic.route()
    carried = AuditRow.objects.filter(verb="carried rollback on").order_by("audit_id")
    listed = rollback.effects.select_related("action")
    found = {
        "rollback": [rollback.phase, rollback.ended],
        "phases": [row.detail["phase"] for row in carried],
        "moves": list(Move.objects.order_by("number").values_list("kind", "ended")),
        "route": [str(route.stable), str(route.candidate), route.share],
        "stops": sorted(Stop.objects.filter(lifted_at=None).values_list("lock", flat=True)),
        "runs": sorted(_told(run) for run in Run.objects.select_related("combo")),
        "rows": sorted([_what(row.run), row.choice, _became(row)] for row in rollback.runs.all()),
        "effects": sorted([each.action.describe, each.state, each.signed_off] for each in listed),
        "world": sorted(effect["what"] for effect in effects()),
    }
    (stage.folder / "stands").write_text(json.dumps(found))


def _told(run: Run) -> list[str]:
    """A run at its end may end by itself, or be held there and end under the older combo."""
    forked = "forked" if run.forked_from_id else ""
    combo = "either" if run.status == SUCCEEDED else str(run.combo)
    return [_what(run), forked, combo, run.status, run.reason, run.stop_reason]


def _became(row: RollbackRun) -> str:
    return "over" if row.run.status == SUCCEEDED else row.ended


def _run(what: str) -> Run:
    return next(run for run in Run.objects.filter(forked_from=None) if _what(run) == what)


def _what(run: Run) -> str:
    return str(json.loads(bytes(run.input)).get("what", ""))


def main() -> int:
    """The long form; returns the exit status."""
    base, began = f"kedge_rolling_{os.getpid()}", time.monotonic()
    wrong, kills, reference = [], 0, dict[str, Any]()
    with databases.template(base) as template, tempfile.TemporaryDirectory() as place:
        for number, points in enumerate(_points(template, base, Path(place))):
            with databases.copies(template, f"{base}_{number}", 1) as [name]:
                folder = Path(place) / str(number)
                folder.mkdir()
                found, _last = Stage(name, folder).prepared().ended(points)
            reference = reference or found
            kills += len(points)
            if found != reference:
                wrong.append(points)
                print(points, found, reference, file=sys.stderr)
    seconds = round(time.monotonic() - began)
    print(json.dumps({"rollback_kills": kills, "rollback_wrong": len(wrong), "seconds": seconds}))
    return int(bool(wrong))


def _points(template: str, base: str, place: Path) -> list[list[str]]:
    """None, the chain, and every boundary that is reached when nobody is killed: the first time."""
    folder = place / "recorded"
    folder.mkdir()
    with databases.copies(template, f"{base}_recorded", 1) as [name]:
        _found, last = Stage(name, folder).prepared().ended()
    firsts = [each for each in last.reached if each.endswith("@1")]
    return [[], CHAIN, *([each] for each in firsts)]
