"""The tool *send mail*: one mail to one recipient. Afterwards only a person can find out."""

# ruff: noqa: ARG002 - the signatures are those of the contract

import smtplib
from collections.abc import Mapping

from django.utils.translation import gettext as _

from agents.tools.deadline import Deadline, within
from agents.tools.mail import message, schemas, sending
from agents.tools.mail.sending import Letter, MailServer
from canonical.digests import sha256_hex
from canonical.json import dumps
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
    Sent,
    Unanswered,
    Voided,
)

LOGIN_SECONDS = 15
ANSWER_KEPT = 500
CANNOT_TELL = "a mail server cannot be asked what became of a mail"


class SendMail:
    """Hands one mail to an SMTP server. The sender and all headers come from the parameters."""

    name = "send_mail"
    version = "1"
    capabilities = Capabilities()
    parameters_schema: Mapping[str, Json] = schemas.PARAMETERS
    receipt_schema: Mapping[str, Json] = schemas.RECEIPT
    budget_seconds = 30
    margin_seconds = 60
    largest_receipt_bytes = 4096
    volatile: tuple[str, ...] = ()
    volatile_version = "1"
    look_again = LookAgain()

    def __init__(self, server: MailServer, *, credential: str = "mail") -> None:
        self.acting_credential = credential
        self._server = server

    def places(
        self, tenant: str, parameters: Mapping[str, Json], action_id: str
    ) -> tuple[Place, ...]:
        """The recipient's mailbox, and what the mail can be found by there."""
        label = _("The mailbox of %(to)s") % {"to": parameters.get("to", "")}
        note = _("its Message-ID begins with %(id)s; the server's log has it too")
        return (Place(label, note=note % {"id": action_id}),)

    def check_credential(self, tenant: str) -> None:
        """Logs in and leaves, where a login is configured."""
        if not self._server.username:
            return
        try:
            sending.check_login(self._server, Deadline(LOGIN_SECONDS))
        except smtplib.SMTPAuthenticationError as error:
            raise CredentialInvalid(f"the mail server does not take the login: {error}") from error
        except (smtplib.SMTPException, OSError) as error:
            raise Unanswered(f"the mail server cannot be asked: {error}") from error

    def capabilities_for(self, tenant: str, parameters: Mapping[str, Json]) -> Capabilities:
        """None, everywhere."""
        return self.capabilities

    def describe(self, parameters: Mapping[str, Json]) -> str:
        """One sentence: to whom, and about what."""
        return _("Send a mail to %(to)s: “%(subject)s”.") % {
            "to": parameters["to"],
            "subject": parameters["subject"],
        }

    def target(self, parameters: Mapping[str, Json]) -> str:
        """The address of the recipient."""
        return str(parameters["to"])

    def magnitude(self, parameters: Mapping[str, Json]) -> Magnitude:
        """One recipient and the lines of the body."""
        return Magnitude(recipients=1, lines=len(parameters["body"].splitlines()))

    def dry_run(self, call: Call) -> DryRun:
        """The mail itself, byte for byte. Nobody is asked, so nothing can have moved."""
        mail = message.compose(call)
        return DryRun(diff=mail, media="text/plain", resources={})

    def perform(self, call: Call) -> Sent:
        """One conversation with the server, judged by its answer to the whole mail."""
        given = call.parameters
        letter = Letter(given["from"], given["to"], message.compose(call))
        code, text = sending.send(self._server, letter, within(call.budget_seconds))
        receipt = {
            "message_id": message.message_id(call),
            "key": call.key,
            "answer": {"code": code, "text": _shortened(text)},
        }
        left = message.read_back(letter.content, letter.sender, letter.recipient)
        return Sent(dumps(receipt), sha256_hex(dumps(left)))

    def look_up(self, call: Call) -> Found | Absent:
        """Always `Unanswered`."""
        raise Unanswered(CANNOT_TELL)

    def void(self, call: Call) -> Voided | Found:
        """Always `Unanswered`."""
        raise Unanswered(CANNOT_TELL)


def _shortened(text: str) -> str:
    printable = "".join(letter if letter.isprintable() else " " for letter in text)
    rest = len(printable) - ANSWER_KEPT
    return printable if rest <= 0 else f"{printable[:ANSWER_KEPT]}… ({rest} more characters)"
