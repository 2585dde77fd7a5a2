"""Calls that hand a sink what was not redacted: none of them passes the type check.

Never run. `make check` reads it: an `ignore` that is not needed is an error of mypy's, so a sink
that began to take any text would fail there, and in `test_types.py`.
"""

from collections.abc import Iterator
from uuid import UUID

from approvals import requests
from approvals.drift import looks
from approvals.models import ApprovalRequest
from canonical.redaction import ours
from checkpoints import cases, events, recoveries, runs, traces, wakeups
from checkpoints.commits import Lease
from checkpoints.desk import notes, pauses, working
from checkpoints.models import Case, Run
from reconciliation import ledger
from reconciliation.models import Attempt
from tenants import audit
from tenants.actors import Actor
from tenants.logs import Lines
from tenants.models import User
from tenants.notifications import mails, webhooks
from tenants.notifications.outbox import Matter
from tenants.trail.spreadsheets import Export


def our_own_words(secret: str) -> None:
    """What is put together, translated from a variable, or a part that is plain text."""
    ours(secret)  # type: ignore[arg-type]
    ours(f"it is {secret}")  # type: ignore[arg-type]
    ours("it is " + secret)  # type: ignore[arg-type]
    ours("it is %s" % secret)  # type: ignore[arg-type]  # noqa: UP031
    ours("it is %(secret)s", secret=secret)  # type: ignore[arg-type]
    ours("it is %(all)s", all={"password": secret})  # type: ignore[arg-type]


def the_audit_trail(secret: str, who: Actor) -> None:
    """As the verb, as the subject, as a detail."""
    audit.record(None, who, secret, ours("run"))  # type: ignore[arg-type]
    audit.record(None, who, f"start {secret}", ours("run"))  # type: ignore[arg-type]
    audit.record(None, who, "start", secret)  # type: ignore[arg-type]
    audit.record(None, who, "start", ours("run"), why=secret)  # type: ignore[arg-type]
    audit.record(None, who, "start", ours("run"), why={"password": secret})  # type: ignore[arg-type]
    audit.refuse(None, who, secret, ours("run"))  # type: ignore[arg-type]
    audit.refuse(None, who, "start", secret)  # type: ignore[arg-type]
    audit.refuse(None, who, "start", ours("run"), why=secret)  # type: ignore[arg-type]


def the_history_of_a_run(secret: str, run: UUID, who: Actor) -> None:
    """As what happened, as a detail."""
    events.append(run, secret, who)  # type: ignore[arg-type]
    events.append(run, "held", who, why=secret)  # type: ignore[arg-type]
    events.append(run, "held", who, why=[secret])  # type: ignore[arg-type]


def why_a_run_waits_or_ends(secret: str, run: UUID, lease: Lease, who: Actor) -> None:
    """As the sentence of a run or a case, as a fact of a case, as a reason."""
    cases.Trouble("crash_loop", secret)  # type: ignore[arg-type]
    cases.Trouble("crash_loop", "It died.", {"error": secret})  # type: ignore[dict-item]
    cases.Ruling("go_on", secret)  # type: ignore[arg-type]
    cases.Ruling("go_on", "Looked.", f"saw {secret}")  # type: ignore[arg-type]
    cases.close_proven(run, because=secret)  # type: ignore[arg-type]
    cases.close(Case.objects.none(), because=secret)  # type: ignore[arg-type]
    cases.open_again(Case(), Run(), actor=who, why=secret)  # type: ignore[arg-type]
    notes.write(Case(), secret, user=User())  # type: ignore[arg-type]
    working.hand_over(run, user=User(), colleague=User(), note=secret)  # type: ignore[arg-type]
    working.wait_outside(run, party=secret, why="Slow.", user=User())  # type: ignore[arg-type]
    working.wait_outside(run, party="A bank.", why=secret, user=User())  # type: ignore[arg-type]
    pauses.begin(Case(), party=secret, why="Slow.", user=User())  # type: ignore[arg-type]
    pauses.begin(Case(), party="A bank.", why=secret, user=User())  # type: ignore[arg-type]
    recoveries.begin(run, fence=1, why=secret)  # type: ignore[arg-type]
    wakeups.wake(run, why=secret)  # type: ignore[arg-type]
    runs.Outcome("failed", "done", secret)  # type: ignore[arg-type]
    runs.suspend(lease, "for_approval", secret, due_at=None)  # type: ignore[arg-type]
    runs.retry_later(lease, f"again: {secret}", seconds=1)  # type: ignore[arg-type]
    runs.lapse(run, fence=1, why=secret, actor=who)  # type: ignore[arg-type]
    runs.request_cancel(run, why=secret, actor=who)  # type: ignore[arg-type]
    runs.release_hold(run, sentence=secret)  # type: ignore[arg-type]


def what_people_are_told(secret: str) -> None:
    """As the sentence of a notification, of a mail, of a webhook."""
    Matter("stop_set", "stop:1", "/", secret)  # type: ignore[arg-type]
    Matter("stop_set", "stop:1", "/", f"it is {secret}")  # type: ignore[arg-type]
    mails.send("a@example.org", secret, "It waits.", message_id="1")  # type: ignore[arg-type]
    mails.send("a@example.org", "It waits.", secret, message_id="1")  # type: ignore[arg-type]
    webhooks.post("https://chat.example", secret)  # type: ignore[arg-type]


def what_tools_answer(secret: str, run: UUID, attempt: Attempt, who: Actor) -> None:
    """As the note of an action, as what a look-up heard, as why a question was closed."""
    ledger.Answer("refusal", b"", "refused", note=secret)  # type: ignore[arg-type]
    ledger.record_look_up(attempt, "absent", detail=secret, clock=("", 0.0))  # type: ignore[arg-type]
    ledger.settle(run, run, "written_off", because="by_person", note=secret)  # type: ignore[arg-type]
    ledger.give_up_proposal(attempt.action, reason=secret)  # type: ignore[arg-type]
    requests.withdraw(run, actor=who, reason=secret)  # type: ignore[arg-type]
    requests.close(ApprovalRequest(), "withdrawn", by="", because=secret)  # type: ignore[arg-type]
    looks.note_unseen(looks.Look(run, run, 1), secret)  # type: ignore[arg-type]


def what_leaves_as_a_file(secret: str, lines: Iterator[str]) -> None:
    """As a line of the log, as a line of an export."""
    Lines().put(secret)  # type: ignore[arg-type]
    as_text: Export = lambda _rows: lines  # type: ignore[assignment, return-value]  # noqa: E731
    as_text([])


def traces_that_leave(secret: str) -> None:
    """As an attribute of a span."""
    traces.QUIET.say("kedge.answer", secret)  # type: ignore[arg-type]
    traces.QUIET.say("kedge.answer", f"it is {secret}")  # type: ignore[arg-type]
