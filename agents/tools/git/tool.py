"""The tool *git push*: moves one branch of one remote to one commit, both fixed beforehand."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from django.utils.translation import gettext as _

from agents.tools.deadline import within
from agents.tools.git import asking, pushing, schemas, showing
from agents.tools.git.errors import GitFailed, UnknownRemote
from agents.tools.git.process import Git
from agents.tools.git.remotes import Remotes
from agents.tools.git.scratch import Scratch, scratch
from reconciliation.tools import (
    Absent,
    Call,
    Capabilities,
    CredentialInvalid,
    DryRun,
    Found,
    Json,
    LookAgain,
    Magnitude,
    Place,
    Refused,
    Sent,
    Unanswered,
    Voided,
)

PROBE_SECONDS = 15
LOGIN_FAILED = (
    "Authentication failed",
    "Permission denied (",
    "could not read Username",
    "could not read Password",
)


class GitPush:
    """Pushes a commit whose bytes are fixed at propose.

    `remotes` turns (tenant, name) into an address; `environment` is given to git beside the fixed
    one, for what reaching a remote takes (`GIT_SSH_COMMAND`).
    """

    name = "git_push"
    version = "1"
    capabilities = Capabilities(void=True, look_up=True)
    parameters_schema: Mapping[str, Json] = schemas.PARAMETERS
    receipt_schema: Mapping[str, Json] = schemas.RECEIPT
    budget_seconds = 60
    margin_seconds = 30
    largest_receipt_bytes = 2048
    volatile: tuple[str, ...] = ()
    volatile_version = "1"
    look_again = LookAgain()

    def __init__(
        self,
        remotes: Remotes,
        *,
        credential: str = "git",
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.acting_credential = credential
        self._remotes = remotes
        self._environment = dict(environment or {})

    def places(
        self,
        tenant: str,  # noqa: ARG002 - part of the contract
        parameters: Mapping[str, Json],
        action_id: str,
    ) -> tuple[Place, ...]:
        """The branch, and the reference that carries the action."""
        told = {"branch": parameters.get("branch", ""), "remote": parameters.get("remote", "")}
        label = _("Branch %(branch)s of %(remote)s") % told
        note = _("the push also makes refs/kedge/actions/%(id)s") % {"id": action_id}
        return (Place(label, note=note),)

    def check_credential(self, tenant: str) -> None:
        """A login is asked for by a remote, not by a tenant: it is checked by every dry run."""

    def capabilities_for(self, tenant: str, parameters: Mapping[str, Json]) -> Capabilities:
        """Void only where the remote moves several refs as one; else look-up only."""
        with self._asked(PROBE_SECONDS) as repository:
            both = asking.takes_both_or_neither(self._url_of(tenant, parameters), repository)
        return self.capabilities if both else Capabilities(look_up=True)

    def describe(self, parameters: Mapping[str, Json]) -> str:
        """One sentence: what is pushed where, and how much of it."""
        return _(
            "Push commit %(commit)s to %(branch)s of %(remote)s (files: %(files)d, lines: %(lines)d)."
        ) % {
            "commit": parameters["commit"][:12],
            "branch": parameters["branch"],
            "remote": parameters["remote"],
            "files": parameters["change"]["files"],
            "lines": parameters["change"]["lines"],
        }

    def target(self, parameters: Mapping[str, Json]) -> str:
        """`<remote>:<branch>`."""
        return f"{parameters['remote']}:{parameters['branch']}"

    def magnitude(self, parameters: Mapping[str, Json]) -> Magnitude:
        """As proposed; every dry run compares it with the real diff."""
        return Magnitude(**parameters["change"])

    def dry_run(self, call: Call) -> DryRun:
        """The unified diff against the branch as it is now; the version seen is its head."""
        try:
            with self._asked(call.budget_seconds) as repository:
                return showing.dry_run(call, self._url(call), repository)
        except Unanswered as error:
            if any(words in str(error) for words in LOGIN_FAILED):
                raise CredentialInvalid(str(error)) from error
            raise

    def perform(self, call: Call) -> Sent:
        """One push. `Refused` only when a hook of the remote declined, or no remote is known."""
        try:
            url = self._url(call)
        except UnknownRemote as error:
            raise Refused(f"nothing was sent: {error}") from error
        with self._repository(call.budget_seconds) as repository:
            return pushing.perform(call, url, repository)

    def look_up(self, call: Call) -> Found | Absent:
        """Asks the remote for the place of this action, then for its commit on the branch."""
        with self._asked(call.budget_seconds) as repository:
            return asking.look_up(call, self._url(call), repository)

    def void(self, call: Call) -> Voided | Found:
        """Puts a tombstone at the place of this action, unless an attempt holds it."""
        with self._asked(call.budget_seconds) as repository:
            return asking.void(call, self._url(call), repository)

    def _url(self, call: Call) -> str:
        return self._url_of(call.tenant, call.parameters)

    def _url_of(self, tenant: str, parameters: Mapping[str, Json]) -> str:
        try:
            return self._remotes(tenant, parameters["remote"])
        except Exception as error:  # the registry was handed in; however it fails, none is known
            raise UnknownRemote(str(error)) from error

    @contextmanager
    def _repository(self, seconds: float) -> Iterator[Scratch]:
        with scratch(Git(within(seconds), self._environment)) as repository:
            yield repository

    @contextmanager
    def _asked(self, seconds: float) -> Iterator[Scratch]:
        """A repository for a question: what keeps git from an answer is `Unanswered`."""
        try:
            with self._repository(seconds) as repository:
                yield repository
        except (GitFailed, OSError, UnknownRemote) as error:
            raise Unanswered(str(error)) from error
