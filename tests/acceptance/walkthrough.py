"""Three real runs by real workers, kept: one that succeeds, one that is refused, one whose worker dies.

Workers and sweeper are processes as in production, on a fresh database; the outside world is a git
remote and a mailbox. The worker of the third run is killed with SIGKILL, and its parent too, right
after its push has arrived and before the answer was kept.
"""

import json
import os
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from django.conf import settings
from django.db import connection, connections

from approvals import states as permission
from approvals.models import ApprovalRequest
from checkpoints import runs
from checkpoints.asked import Request
from checkpoints.models import Run
from checkpoints.states import FINAL, SUCCEEDED
from config.embedded import processes
from execution.models import Process
from tenants.actors import Actor
from tenants.models import Tenant
from tests.acceptance import beside, keyevents
from tests.acceptance.ground import TENANT
from tests.acceptance.outside import Outside
from tests.crash import databases
from tests.ground import wait_for
from tests.opening import read_and_decide
from tests.people import ada, dee

Json = Any

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "var/reports/walkthrough"
FIXTURE = ROOT / "fixtures/normal/a-change-is-pushed-and-told.json"
# Numbered like no database that anything else here uses.
REDIS_DATABASE = 13
PATIENT_SECONDS = 120
KILLED_AT = "effect:after"
STORIES = ("success", "refusal", "recovery")


@dataclass
class Crew:
    """Workers and a sweeper; one that was killed is replaced, as a supervisor does."""

    environment: Mapping[str, str]
    folder: Path
    processes: dict[str, subprocess.Popen[bytes]]

    def start(self, name: str, *command: str) -> None:
        with (self.folder / "crew.log").open("ab") as log:
            self.processes[name] = subprocess.Popen(
                processes.tied([sys.executable, str(ROOT / "manage.py"), *command]),
                env=dict(self.environment),
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def killed(self) -> str:
        """The worker that was killed, by name; "" while none was."""
        ended = (name for name, each in self.processes.items() if each.poll() is not None)
        return next(ended, "")

    def stop(self) -> None:
        for process in self.processes.values():
            process.kill()
            process.wait()


def main(kept_in: Path = FOLDER) -> int:
    """Tell every story and say where it is kept; exit status 1 when one ended otherwise."""
    told: dict[str, Json] = {}
    with databases.template(f"kedge_walkthrough_{os.getpid()}") as name, _world() as outside:
        with _crew(name, outside.folder) as crew:
            tenant = Tenant.objects.get(slug=TENANT)
            for story in STORIES:
                print(f"{story}: a run is started", file=sys.stderr, flush=True)
                told[story] = _tell(story, tenant, crew, outside)
        connections.close_all()
    kept_in.mkdir(parents=True, exist_ok=True)
    for story, document in told.items():
        path = kept_in / f"{story}.json"
        path.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n")
        print(f"{story}: run {document['run_id']} {document['status']}, kept in {path}")
    passed = all(document["as_expected"] for document in told.values())
    ids = {story: document["run_id"] for story, document in told.items()}
    print(json.dumps({"passed": passed, "runs": ids, "folder": str(kept_in)}))
    return int(not passed)


def _tell(story: str, tenant: Tenant, crew: Crew, outside: Outside) -> dict[str, Json]:
    """One run from its start to its end, with everything that happened to it."""
    run = _started(story, tenant)
    if story == "recovery":
        plugs = outside.folder / "plugs"
        plugs.mkdir(exist_ok=True)
        (plugs / str(run.pk)).write_text(KILLED_AT)
    killed = ""
    while not _ended(run):
        _until(lambda: _ended(run) or _question(run) is not None or bool(crew.killed()), run)
        name = crew.killed()
        asked = _question(run)
        if name:
            killed = name
            crew.start(name, "work", "--name", name)
        elif asked is not None:
            verdict = permission.REJECT if story == "refusal" else permission.APPROVE
            read_and_decide(asked, dee(tenant), verdict, "As the walkthrough says.")
    arrived = outside.arrived()
    document = keyevents.of(run, arrived) | {"story": story, "worker_killed": killed}
    return document | {"as_expected": _is_as_expected(story, document)}


def _is_as_expected(story: str, document: Mapping[str, Json]) -> bool:
    once = all(each["in_the_world"] == 1 for each in document["effects"])
    if story == "refusal":
        return document["stop_reason"] == "rejected" and not any(
            each["in_the_world"] for each in document["effects"]
        )
    recovered = [each["ended"] for each in document["recoveries"]] == ["recovered"]
    well = document["status"] == SUCCEEDED and once
    return well and (recovered and bool(document["worker_killed"]) if story == "recovery" else True)


def _started(story: str, tenant: Tenant) -> Run:
    given = json.loads(FIXTURE.read_text())["script"][0]["input"] | {"campaign": story}
    given |= {"repository": story}
    request = Request("fleet_change", f"walkthrough {uuid.uuid4()}", given, "walkthrough")
    run, _ = runs.start(tenant, request, actor=Actor.person(ada(tenant)))
    return run


def _ended(run: Run) -> bool:
    run.refresh_from_db()
    return run.status in FINAL


def _question(run: Run) -> ApprovalRequest | None:
    return ApprovalRequest.objects.filter(run=run, state=permission.OPEN).first()


def _until(fact: Any, run: Run) -> None:
    wait_for(fact, f"run {run.pk} goes on", seconds=PATIENT_SECONDS)


@contextmanager
def _world() -> Iterator[Outside]:
    """A remote for each story, with the history of the fixture, and room for a mailbox."""
    with tempfile.TemporaryDirectory(prefix="kedge-walkthrough-") as folder:
        outside = Outside(Path(folder), TENANT)
        ship = json.loads(FIXTURE.read_text())["world"]["repositories"]["ship"]
        outside.make({"repositories": dict.fromkeys(STORIES, ship)})
        yield outside


@contextmanager
def _crew(name: str, folder: Path) -> Iterator[Crew]:
    """Two workers and a sweeper on database `name`, ready; a mail server beside them."""
    connections.close_all()
    with beside.mail(folder / "mail") as port:
        crew = Crew(_environment(name, folder, port), folder, {})
        try:
            crew.start("sweeper", "sweep")
            for worker in ("first", "second"):
                crew.start(worker, "work", "--name", worker)
            wait_for(lambda: Process.objects.count() >= 3, "the crew is ready", seconds=120)
            yield crew
        finally:
            crew.stop()


def _environment(name: str, folder: Path, port: int) -> dict[str, str]:
    redis = urlsplit(settings.REDIS_URL)
    own = f"db={REDIS_DATABASE}" if redis.scheme == "unix" else ""
    path = redis.path if own else f"/{REDIS_DATABASE}"
    settings.REDIS_URL = redis._replace(path=path, query=own).geturl()
    settings.KEDGE_REMOTES = str(folder / "remotes")
    address = urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{quote(name)}").geturl()
    assert connection.settings_dict["NAME"] == name
    return {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "DATABASE_URL": address,
        "REDIS_URL": settings.REDIS_URL,
        "KEDGE_REMOTES": settings.KEDGE_REMOTES,
        "KEDGE_SMTP_PORT": str(port),
        "KEDGE_JOURNAL_DIR": str(folder / "journal"),
        "KEDGE_PLUGS": str(folder / "plugs"),
        "KEDGE_MODEL_URL": "",
        "KEDGE_LOG_LEVEL": "INFO",
    }
