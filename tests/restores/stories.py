"""The five ways in which a record becomes older than its world, each told to its end."""

import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from django.db import connections
from django.db.models import Q, QuerySet

from checkpoints.models import Case, Run, Stop
from checkpoints.states import FINAL, SUCCEEDED
from reconciliation.behind.models import OPEN, RUN, UNANSWERED, Divergence, MissingLine
from reconciliation.models import Attempt
from tests.chaos.servers import IMMEDIATE, Postgres
from tests.restores import clusters, ground
from tests.restores.registry import LOOKED_UP
from tests.restores.stage import Scene, Stage, Told, attempts_of, opened
from tests.restores.voyage import Amounts

# What is noticed beside the lines that the record lacks.
MOVED: Final = {"dump": ("other_system",), "lossy_promotion": ("other_timeline",)}
# By themselves: without a person, in the time that a worker takes to start.
SEEN_SECONDS: Final = 1.0
# What the machine has found of a line that it can still ask about.
UNTOLD: Final = ("", UNANSWERED)


def base_backup(stage: Stage) -> Told:
    """An administrator puts last night's base backup back: same server, same timeline, less in it."""
    server = clusters.server(stage.folder / "from_base", data=stage.left.base)
    return _restored(stage, server)


def dump(stage: Stage) -> Told:
    """A dump is loaded into a new cluster: another server, which does not know it."""
    server = clusters.fresh(stage.folder / "from_dump")
    clusters.load(stage.left.dump, server)
    return _restored(stage, server)


def disk_snapshot(stage: Stage) -> Told:
    """The disk goes back to a snapshot under living workers: nothing of PostgreSQL says so."""
    told, world = Told(stage.story), stage.world
    known = _known_in(stage.left.snapshot, stage.folder / "looked_at")
    server = clusters.server(stage.folder / "from_disk", data=stage.left.interrupted)
    with opened(stage, server) as scene:
        scene.crew.start(stage.amounts.workers)
        ground.switch_to(server, world)
        before = len(world.effects())
        told.expect(
            scene.until(lambda: len(world.effects()) > before + 1, scene.people.answer),
            "the installation does not go on before its disk goes back",
        )
        connections.close_all()
        server.stop(IMMEDIATE)
        # What was under way has ended: everybody has lost the record.
        shutil.rmtree(server.here.data)
        clusters.give(stage.left.snapshot, server.here)
        server.start()
        _stops_by_itself(scene, told, known)
        _machine_reconciles(scene, told)
        _bring_home(scene, told)
    return told


def lossy_promotion(stage: Stage) -> Told:
    """The primary dies, and a standby that had not heard everything takes its place."""
    clusters.promote(stage.left.standby)
    return _restored(stage, stage.left.standby)


def clone(stage: Stage) -> Told:
    """Somebody starts a copy beside the original, with workers, on the same journal and world."""
    told, world = Told(stage.story), stage.world
    original = clusters.server(stage.folder / "original", data=stage.left.interrupted)
    copy = clusters.server(stage.folder / "cloned", data=stage.left.base)
    with opened(stage, original) as first, opened(stage, copy, beside=7) as second:
        first.crew.start(stage.amounts.workers)
        ground.switch_to(original, world)
        before = len(world.effects())
        told.expect(
            first.until(lambda: len(world.effects()) > before + 1, first.people.answer),
            "the original does not go on",
        )
        _beside(second, told, stage.amounts)
        second.crew.kill()
        ground.switch_to(original, world)
        if not (told.wrong and stage.mutant):
            _bring_home(first, told)
    return told


def _beside(clone: Scene, told: Told, amounts: Amounts) -> None:
    """The clone's workers begin while the original's work: all effects of now are the original's."""
    known = clone.known_attempts()
    clone.crew.start(amounts.workers)
    ground.switch_to(clone.server, clone.outside)
    told.expect(clone.until(_is_stopped), "the clone does not stop by itself")
    before = [line for line in clone.outside.lines() if line["attempt"] not in known]
    told.missing = len({line["attempt"] for line in before})
    wanted = {line["attempt"] for line in before}
    told.expect(clone.until(lambda: wanted <= _listed()), "the clone does not list what it lacks")
    told.listed = len(wanted & _listed())
    told.codes = tuple(Divergence.objects.get(ended_at=None).codes)
    told.expect(clone.known_attempts() - known <= wanted | _listed(), "the clone sent something")
    told.expect(not clone.people.lift(), "a clone can be lifted beside its original")


STORIES: Final[dict[str, Callable[[Stage], Told]]] = {
    each.__name__: each for each in (base_backup, dump, disk_snapshot, lossy_promotion, clone)
}


def _restored(stage: Stage, server: Postgres) -> Told:
    told = Told(stage.story)
    with opened(stage, server) as scene:
        known = scene.known_attempts()
        lines = {line["attempt"] for line in scene.outside.lines()}
        told.expect(len(lines - known) >= stage.amounts.behind, "the record lacks too little")
        there = {effect.attempt for effect in scene.outside.effects()}
        told.expect(there <= lines, "the world has an effect that the journal has not")
        scene.crew.start(stage.amounts.workers)
        ground.switch_to(server, scene.outside)
        _stops_by_itself(scene, told, known)
        if not (told.wrong and stage.mutant):
            _machine_reconciles(scene, told)
            _bring_home(scene, told)
    return told


def _known_in(data: Path, folder: Path) -> set[str]:
    """The attempts of the record in a data folder, looked up in a copy of it."""
    copy = clusters.server(folder, data=data)
    copy.start()
    try:
        return attempts_of(copy)
    finally:
        copy.stop()


def _stops_by_itself(scene: Scene, told: Told, known: set[str]) -> None:
    """Nothing leaves any more, and the page lists what is there and the record lacks: no line else."""
    told.expect(scene.until(_is_stopped), "effects do not stop by themselves")
    sent = _sent_here()

    def missing() -> set[str]:
        return {line["attempt"] for line in scene.outside.lines()} - known - sent

    told.expect(
        scene.until(lambda: _listed() == missing()),
        f"listed is not what is missing: {len(_listed() - missing())} too many,"
        f" {len(missing() - _listed())} too few",
    )
    time.sleep(SEEN_SECONDS)
    told.expect(_sent_here() == sent, "something was sent before it was lifted")
    there = {effect.attempt for effect in scene.outside.effects()}
    told.expect(there - known - sent <= _listed(), "an effect is there that nothing lists")
    told.missing, told.listed = len(missing()), len(_listed())
    divergence = Divergence.objects.order_by("pk").first()
    told.codes = tuple(divergence.codes) if divergence is not None else ()
    unnoticed = {"record_behind", *MOVED.get(told.story, ())} - set(told.codes)
    told.expect(not unnoticed, f"nobody noticed {sorted(unnoticed)}")


def _machine_reconciles(scene: Scene, told: Told) -> None:
    """What can be asked is asked and settled before any person says a word; nobody is called for it.

    Of a line whose run is lost a person says what became of it; the machine says what it was told.
    """
    told.expect(
        scene.until(lambda: not _to_be_asked().exists() and not _called_in_vain().exists()),
        f"the machine leaves what it can ask: {_to_be_asked().count()} lines,"
        f" {_called_in_vain().count()} cases",
    )
    told.expect(_settled_by_machine().exists(), "the machine settled nothing")


def _bring_home(scene: Scene, told: Told) -> None:
    """People do their part until all runs have ended; then nothing may be there twice, ever."""
    people = scene.people
    told.expect(
        scene.until(people.lift, people.answer, people.settle),
        f"it cannot be lifted: {sorted(set(people.refused))[-3:]}",
    )
    people.round_of(people.call_again)
    told.expect(
        scene.until(_all_ended, people.answer, people.settle, people.lift),
        f"runs do not end: {_unfinished()}",
    )
    told.reconciled += _settled_by_machine().count()
    told.cases += len(people.cases)
    told.count(scene.outside)
    told.expect(not Divergence.objects.filter(ended_at=None).exists(), "it is still apart")
    told.expect(not _failed(), f"runs did not succeed: {_failed()}")


def _to_be_asked() -> QuerySet[MissingLine]:
    """Lines of the tool that can be looked up, of which the machine has not said what it can."""
    lines = MissingLine.objects.filter(tool=LOOKED_UP.name)
    return lines.filter(Q(lacks=RUN, found__in=UNTOLD) | (~Q(lacks=RUN) & Q(became=OPEN)))


def _called_in_vain() -> QuerySet[Case]:
    """Open cases about a tool that can be looked up."""
    return Case.objects.filter(decided_at=None, closed_at=None, facts__tool=LOOKED_UP.name)


def _settled_by_machine() -> QuerySet[MissingLine]:
    return MissingLine.objects.exclude(became=OPEN).filter(settled_by=None)


def _sent_here() -> set[str]:
    """What this record says was sent, but for what it was told by the journal."""
    sent = Attempt.objects.filter(from_journal=False)
    return {str(attempt) for attempt in sent.values_list("pk", flat=True)}


def _is_stopped() -> bool:
    return Stop.objects.filter(lock="effects", lifted_at=None).exists()


def _listed() -> set[str]:
    return {str(found) for found in MissingLine.objects.values_list("attempt_id", flat=True)}


def _all_ended() -> bool:
    return not Run.objects.exclude(status__in=FINAL).exists()


def _failed() -> list[tuple[Any, ...]]:
    ended = Run.objects.filter(status__in=FINAL).exclude(status=SUCCEEDED)
    return list(ended.values_list("business_key", "status", "stop_reason", "sentence")[:5])


def _unfinished() -> list[tuple[Any, ...]]:
    left = Run.objects.exclude(status__in=FINAL)
    return list(left.values_list("business_key", "status", "reason", "sentence")[:5])
