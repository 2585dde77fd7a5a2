"""One request of a declared tool: signed, sent once, answered."""

import base64
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from agents.tools.deadline import Deadline
from agents.tools.http import answers, building
from agents.tools.http.declared import Credential, Declared, Json, Shape
from agents.tools.wire import sending
from agents.tools.wire.errors import NoAnswer, NotSent
from agents.tools.wire.reach import Reach, Server
from agents.tools.wire.sending import Answer, Exchange
from reconciliation.tools import CredentialInvalid, Unanswered


@dataclass(frozen=True)
class Line:
    """A declared service, as one tenant reaches it until a deadline."""

    declared: Declared
    reach: Reach
    tenant: str
    deadline: Deadline

    def server(self) -> Server:
        """Raises `NotSent`."""
        declared = self.declared
        url = declared.url or self.reach.value(declared.url_variable, self.tenant)
        if not url:
            raise NotSent(f"the environment has no {declared.url_variable}")
        return self.reach.server(url)

    def send(self, shape: Shape, values: dict[str, Json]) -> Exchange:
        """Send once. Raises `NotSent`, `NoAnswer`, `BadProposal`, `CredentialInvalid`."""
        server = self.server()
        request = building.request(shape, values, server.base)
        if self.declared.credential is not None:
            signed = (*request.headers, self._signature(self.declared.credential))
            request = replace(request, headers=signed)
        return sending.exchange(server, request, self.reach, self.deadline)

    def ask(self, shape: Shape, values: dict[str, Json]) -> Answer:
        """Send a question. Raises `Unanswered`, `BadProposal`, `CredentialInvalid`."""
        try:
            return self.send(shape, values).answer
        except (NotSent, NoAnswer, TimeoutError) as error:
            raise Unanswered(str(error)) from error

    def _signature(self, credential: Credential) -> tuple[str, str]:
        secret = self.reach.secret(credential.variable, self.tenant)
        if credential.scheme == "Basic":
            secret = base64.b64encode(secret.encode()).decode()
        if not secret.isascii() or not secret.isprintable():
            raise CredentialInvalid(f"{credential.variable} cannot stand in a header")
        return credential.header, f"{credential.scheme} {secret}".strip()


def refused_login(answer: Answer) -> bool:
    """Whether the service does not take the credential."""
    return answer.status in {401, 403}


def check_credential(line: Line) -> None:
    """Try the credential as declared. Raises `CredentialInvalid`, `Unanswered`."""
    credential = line.declared.credential
    if credential is None:
        return
    line.reach.secret(credential.variable, line.tenant)
    if credential.check is None:
        return
    answer = line.ask(credential.check, {})
    if answer.status in credential.invalid:
        raise CredentialInvalid(f"the service does not take it: {answers.words(answer)}")
    if answer.status not in credential.works:
        said = f"the service says neither yes nor no: {answers.words(answer)}"
        raise Unanswered(said, retry_after=answers.retry_after(answer))


def moment(written: str) -> datetime | None:
    """A date or a moment as ISO 8601 writes it, in UTC when it names no zone."""
    try:
        read = datetime.fromisoformat(written.strip())
    except ValueError:
        return None
    return read if read.tzinfo else read.replace(tzinfo=UTC)
