"""One notification mail to one person, through the mail server that the environment names."""

import smtplib
import ssl
from email.message import EmailMessage
from typing import Final

from django.conf import settings

from canonical.redaction import Said
from tenants.keys import hiding

SECONDS: Final = 10


class MailFailed(Exception):
    """The mail server did not take the mail."""


def send(address: str, subject: Said, text: Said, *, message_id: str) -> None:
    """Hand one mail in. Raises `MailFailed`; sent twice, it carries the same message id."""
    mail = EmailMessage()
    mail["From"], mail["To"] = settings.KEDGE_MAIL_FROM, address
    mail["Subject"], mail["Message-ID"] = hiding.said(subject), f"<{message_id}@kedge>"
    mail["Auto-Submitted"] = "auto-generated"
    mail.set_content(hiding.said(text))
    host, port = settings.KEDGE_SMTP_HOST, settings.KEDGE_SMTP_PORT
    try:
        with smtplib.SMTP(host, port, timeout=SECONDS) as server:
            if settings.KEDGE_SMTP_STARTTLS:
                server.starttls(context=ssl.create_default_context())
            if settings.KEDGE_SMTP_USER:
                server.login(settings.KEDGE_SMTP_USER, settings.KEDGE_SMTP_PASSWORD)
            server.send_message(mail)
    except smtplib.SMTPResponseException as error:
        raise MailFailed(f"the mail server answered {error.smtp_code}") from error
    except smtplib.SMTPRecipientsRefused as error:
        code = next(iter(error.recipients.values()), (0, b""))[0]
        raise MailFailed(f"the mail server refused the address ({code})") from error
    except (OSError, smtplib.SMTPException) as error:
        raise MailFailed(f"the mail server did not take it: {type(error).__name__}") from error
