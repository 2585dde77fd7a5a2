"""Where a bad release plays, who tells it, and the verbs of its chapters: start, answer, climb, move, wait."""

import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.urls import reverse
from django.utils.translation import gettext as _

from agents.fleet_change.graph import TASK_TYPE
from approvals.models import ApprovalRequest
from checkpoints import rungs, runs, states
from checkpoints.asked import Request
from checkpoints.models import Run, ShadowDryRun, Twin
from config.demo import card
from config.demo.people import OPERATOR, OWNER, SEED
from config.demo.release import answering, stage
from config.demo.release.answering import Verdict
from reconciliation.models import Action
from releases import moving
from releases.errors import MoveChangedError
from releases.gates import standing
from releases.ladder import climbing
from releases.ladder.climbing import Rung
from releases.models import Release
from releases.moving import Wanted
from tenants.models import Tenant

LOOK_EVERY_SECONDS: Final = 0.5
PATIENCE_SECONDS: Final = 300.0
WHY: Final = "A demo of a release that goes wrong."

Say = Callable[[str], None]


class TooSlowError(RuntimeError):
    """This took longer than it may in a demo."""


@dataclass
class Story:
    """One performance, at a tenant of its own."""

    tenant: Tenant
    say: Say
    release: Release | None = None
    chapters: int = 0
    repositories: int = 0

    def chapter(self, words: str) -> None:
        """Say where the story is."""
        self.chapters += 1
        self.say(f"{self.chapters:2d}  {words}")

    def page(self, name: str, *arguments: object) -> None:
        """Say where to look on."""
        path = reverse(name, args=[self.tenant.slug, *arguments])
        self.say(f"    http://127.0.0.1:{card.port()}{path}")

    def start(self, count: int) -> list[UUID]:
        """Start runs that nobody calls critical, each with a repository of its own."""
        started = []
        for _number in range(count):
            self.repositories += 1
            change = stage.change(self.repositories, self.tenant)
            request = Request(
                TASK_TYPE, change.business_key, change.input, channel="demo", critical=False
            )
            run, _created = runs.start(self.tenant, request, actor=SEED)
            started.append(run.pk)
        return started

    def all_over(self, started: Iterable[UUID], says_yes: Verdict) -> bool:
        """Answer what is asked; whether these runs are over by now.

        A question waits for the shadow beside its run: people are slower than machines.
        """
        answering.answer(
            self.tenant,
            stage.account(OPERATOR),
            lambda asked: says_yes(asked) if self._was_tried_beside(asked) else None,
        )
        live = Run.objects.filter(pk__in=list(started)).exclude(status__in=states.FINAL)
        return not live.exists()

    def until(self, done: Callable[[], bool], what: str) -> None:
        """Look again and again until it is so. Raises `TooSlowError`."""
        end = time.monotonic() + PATIENCE_SECONDS
        while not done():
            if time.monotonic() > end:
                raise TooSlowError(_("Waited too long for %(what)s.") % {"what": what})
            time.sleep(LOOK_EVERY_SECONDS)

    def move(self, kind: str, share: int = 0) -> None:
        """Propose a move and make it; a promotion would take a second person."""
        owner = stage.account(OWNER)
        proposed = moving.propose(self.at.pk, Wanted(kind, WHY, share), user=owner)
        self.release = moving.make(proposed.pk, proposed.digest, user=owner)

    def climb(self, tool: str, to: str) -> None:
        """Take a tool up to the next rung as soon as the record shows enough of the one below.

        It stands there already when this was played before: a ladder is of a combo.
        """
        if rungs.reaches(self._rung(tool).stands, to):
            return
        self.until(lambda: self._climbed(tool, to), f"{tool}: {to}")

    @property
    def at(self) -> Release:
        """The release, once it began."""
        assert self.release is not None  # noqa: S101 - the chapters are in order
        return self.release

    def _climbed(self, tool: str, to: str) -> bool:
        rung = self._rung(tool)
        if not rung.may_climb:
            return False
        wanted = climbing.Wanted(tool, to, WHY, rung.digest)
        # More may have ended between the look and the step; the next look tells.
        with suppress(MoveChangedError):
            climbing.step(self.at.pk, wanted, user=stage.account(OWNER))
        return rungs.reaches(self._rung(tool).stands, to)

    def _was_tried_beside(self, asked: ApprovalRequest) -> bool:
        if self.release is None or self.release.place != standing.SHADOW:
            return True
        twin = Twin.objects.filter(twin_of=asked.run_id, series=self.release.pk).first()
        if twin is None:
            return False
        tried = Action.objects.filter(run=twin.run_id, tool=asked.tool)
        seen = ShadowDryRun.objects.filter(action_id__in=tried.values("pk")).exists()
        return seen or twin.run.status in states.FINAL

    def _rung(self, tool: str) -> Rung:
        return next(each for each in climbing.ladder(self.at) if each.tool == tool)
