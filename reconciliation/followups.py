"""Runs that follow an effect, each with a dry run and an approval of its own. It sends nothing."""

from dataclasses import dataclass
from typing import Any, Final

import jsonschema
from django.db.models import Q, QuerySet

from canonical import json as canonical
from canonical.redaction import view
from checkpoints import runs, schemas, states
from checkpoints.asked import Request
from checkpoints.errors import (
    InputRefusedError,
    KeyReusedError,
    StoppedError,
    UnknownTaskTypeError,
)
from checkpoints.models import Run
from checkpoints.registry import agents, graph_of
from reconciliation.errors import FollowUpRefusedError
from reconciliation.models import Action, Receipt
from reconciliation.tools import CannotFollow, Followed, FollowUp
from tenants.actors import Actor
from tenants.keys import vaults
from tenants.keys.errors import ErasedError
from tenants.keys.vaults import Vault
from tenants.models import User

Json = Any
MOST_TRIES: Final = 100


@dataclass(frozen=True)
class Wanted:
    """Which run is to follow an effect, and what a person said of it.

    `beginning` is how the business keys of all runs begin that do the same to it.
    """

    how: FollowUp
    beginning: str
    channel: str
    why: str
    say: str = ""


def declared(tool: str) -> FollowUp | None:
    """What can follow the effects of a tool, as the agents of this installation declare it."""
    return among("FOLLOW_UPS", tool)


def among(name: str, tool: str) -> FollowUp | None:
    """The same of one list of the agents' declarations; none whose task type is not here."""
    found: FollowUp | None = getattr(agents(), name, {}).get(tool)
    return found if found is not None and found.task_type in agents().GRAPHS else None


def refuse_if_impossible(action: Action, run: Run, wanted: Wanted) -> None:
    """Judged before it is begun; `run` did the action. Raises `FollowUpRefusedError`."""
    with vaults.bound(action.tenant_id) as vault:
        content = _input(action, run, wanted, vault)
        try:
            schemas.check(content, graph_of(wanted.how.task_type).manifest.input_schema)
        except jsonschema.ValidationError as error:
            raise FollowUpRefusedError(f"its run cannot start: {error.message}") from error


def start(action: Action, wanted: Wanted, *, user: User) -> Run:
    """Start the run that follows an effect, inside the caller's transaction; no run is locked yet.

    Raises `FollowUpRefusedError`, also while another run is at it or new runs are stopped.
    """
    with vaults.bound(action.tenant_id) as vault:
        content = _input(action, action.run, wanted, vault)
        asked = Request(wanted.how.task_type, _key(action, wanted), content, wanted.channel)
        try:
            run, created = runs.start(action.tenant, asked, actor=Actor.person(user))
        except (InputRefusedError, KeyReusedError, StoppedError, UnknownTaskTypeError) as error:
            raise FollowUpRefusedError(f"its run cannot start: {error}") from error
    if not created:
        raise FollowUpRefusedError(f"run {run.pk} is at it already; look there first")
    return run


def is_begun(action: Action, beginning: str) -> bool:
    """Whether a run does it or has done it; one that failed or was cancelled does not count."""
    at_it = ~Q(status__in=states.FINAL) | Q(status=states.SUCCEEDED)
    return _earlier(action, beginning).filter(at_it).exists()


def _input(action: Action, run: Run, wanted: Wanted, vault: Vault) -> dict[str, Json]:
    followed = Followed(
        action_id=str(action.pk),
        tenant=action.tenant.slug,
        input=_opened(bytes(run.input), vault),
        parameters=_opened(bytes(action.parameters), vault),
        receipt=_receipt(action, vault),
        why=wanted.why,
        say=wanted.say,
    )
    try:
        return wanted.how.input_of(followed)
    except CannotFollow as error:
        raise FollowUpRefusedError(str(error)) from error


def _receipt(action: Action, vault: Vault) -> Json:
    told = Receipt.objects.filter(action_id=action.pk).exclude(source__in=["person", "refusal"])
    first = told.order_by("id").first()
    if first is None:
        return None
    try:
        return _opened(bytes(first.content), vault)
    except canonical.CanonicalError:
        return None


def _opened(content: bytes, vault: Vault) -> Json:
    """In the clear: whatever of it is kept again is known by then. What was erased has marks."""
    stored = canonical.loads(content)
    try:
        return vault.decrypted(stored)
    except ErasedError:
        return view(stored).value


def _key(action: Action, wanted: Wanted) -> str:
    """One run at a time is at it; after one that ended, another may be started."""
    ended = _earlier(action, wanted.beginning).filter(status__in=states.FINAL).count()
    if ended >= MOST_TRIES:
        raise FollowUpRefusedError("it was tried too often; look at those runs first")
    return f"{wanted.beginning} {ended + 1}"


def _earlier(action: Action, beginning: str) -> QuerySet[Run]:
    return Run.objects.filter(
        tenant_id=action.tenant_id, business_key__startswith=f"{beginning} ", mode="live"
    )
