"""The surroundings of a replay in tests: a world of its own, a worker's turn at a time, our cast."""

import tempfile
import time
import uuid
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from django.db import connections, transaction
from django.test import override_settings

from agents.registry import TOOLS
from agents.tools.mail.sending import MailServer
from agents.tools.mail.tool import SendMail
from approvals.models import ApprovalRequest
from checkpoints import wakeups
from checkpoints.models import Case, Run
from checkpoints.states import FOR_RETRY, QUEUED, WAITING
from execution import horse, sweeper
from execution.fixtures.surroundings import Surroundings
from reconciliation import verdicts
from reconciliation.verdicts import Given
from tenants.actors import Actor
from tenants.models import Tenant
from tests.acceptance import beside
from tests.acceptance.outside import Outside
from tests.crash.processes import live
from tests.opening import read_and_decide
from tests.people import ada, dee

Json = Any

PAUSE_SECONDS = 0.05
# What each world had when it was taken away: how often which ledger key.
SEEN: list[Counter[str]] = []


class Made:
    """A world below a temporary folder, made anew for each replay."""

    def __init__(self) -> None:
        self.outside = Outside(Path("nowhere"), "nobody")

    @contextmanager
    def made(self, tenant: Tenant, world: Mapping[str, Json]) -> Iterator[None]:
        with ExitStack() as stack:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="kedge-fixture-")))
            self.outside = Outside(folder, tenant.slug)
            self.outside.make(world)
            asked = world.get("model")
            url = stack.enter_context(beside.model(asked)) if asked else ""
            if world.get("mail"):
                port = stack.enter_context(beside.mail(self.outside.mailbox))
                stack.enter_context(_instead(SendMail(MailServer("127.0.0.1", port))))
            for tool, limits in world.get("limits", {}).items():
                stack.enter_context(_limited(tool, limits))
            stack.enter_context(
                override_settings(
                    KEDGE_REMOTES=str(self.outside.remotes),
                    KEDGE_MODEL_URL=url,
                    KEDGE_MODEL="a-model" if url else "",
                )
            )
            try:
                yield
            finally:
                SEEN.append(self.outside.arrived())

    def starter(self, tenant: Tenant) -> Actor:
        return Actor.person(ada(tenant))

    def go_on(self, run: Run) -> None:
        """A work-horse's life in a process of its own, when the run is due; else a sweep."""
        if run.status == WAITING and run.reason == FOR_RETRY:
            _wake(run)
        elif run.status == QUEUED:
            _live(lambda: horse.take_turns(uuid.uuid4()), self.outside.folder)
        else:
            time.sleep(PAUSE_SECONDS)
            _live(sweeper.sweep, self.outside.folder)
            _live(lambda: horse.take_turns(uuid.uuid4()), self.outside.folder)

    def answer(self, asked: ApprovalRequest, step: Mapping[str, Json]) -> None:
        who = ada if step.get("by") == "starter" else dee
        read_and_decide(asked, who(asked.tenant), step["verdict"], step["reason"])

    def judge(self, case: Case, step: Mapping[str, Json]) -> None:
        given = Given(step["verdict"], reason=step["reason"], evidence=step.get("evidence", ""))
        verdicts.give(case.pk, given, user=dee(case.tenant))

    def arrived(self) -> Mapping[str, int]:
        return self.outside.arrived()


def surroundings() -> Surroundings:
    """What the setting FIXTURE_SURROUNDINGS leads to."""
    return Made()


def _wake(run: Run) -> None:
    """Nobody waits for a back-off."""
    with transaction.atomic():
        wakeups.wake(run.pk, why="The test does not wait.")


def _live(act: Any, folder: Path) -> None:
    connections.close_all()
    ended = live(act, folder)
    if not ended.in_order:
        said = (folder / "said").read_text(errors="replace")[-2000:]
        raise AssertionError(f"a process ended with status {ended.status}: {said}")


@contextmanager
def _instead(tool: Any) -> Iterator[None]:
    """This tool in place of the one of its name."""
    before = TOOLS.by_name[tool.name]
    TOOLS.by_name[tool.name] = tool
    try:
        yield
    finally:
        TOOLS.by_name[tool.name] = before


@contextmanager
def _limited(name: str, limits: Mapping[str, int]) -> Iterator[None]:
    """The same tool with shorter limits."""
    tool = TOOLS[name]
    before = {limit: getattr(tool, limit) for limit in limits}
    try:
        for limit, seconds in limits.items():
            setattr(tool, limit, seconds)
        yield
    finally:
        for limit, seconds in before.items():
            setattr(tool, limit, seconds)
