"""The bytes of a mail, made from its parameters alone, and the parameters read back from them."""

import base64
import quopri
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import format_datetime, parsedate_to_datetime

from agents.tools.mail.errors import BadMessage
from canonical.json import Json
from reconciliation.tools import Call

LONGEST_LINE = 998  # bytes, by RFC 5322

_WORD_BYTES = 45  # of UTF-8 in one encoded word, which may have 75 characters
_DATE = "%Y-%m-%dT%H:%M:%SZ"
_PLAIN_SUBJECT = re.compile(r"[!-~]([ -~]*[!-~])?")
_WORD = re.compile(r"=\?utf-8\?b\?([A-Za-z0-9+/=]*)\?=")
_ID = re.compile(r"[0-9A-Za-z][0-9A-Za-z-]{0,99}")


def message_id(call: Call) -> str:
    """The Message-ID of an action: the same for all its attempts. Raises `BadMessage`."""
    if not _ID.fullmatch(call.action_id):
        raise BadMessage(f"{call.action_id!r} cannot stand in a Message-ID")
    return f"<{call.action_id}@kedge.invalid>"


def compose(call: Call) -> bytes:
    """The whole mail with CRLF line ends, the same for every attempt. Raises `BadMessage`."""
    if not _ID.fullmatch(call.key):
        raise BadMessage("the key of this action cannot stand in a header")
    given = call.parameters
    encoding, body = _written_body(given["body"])
    headers = {
        "From": given["from"],
        "To": given["to"],
        "Subject": _written_subject(given["subject"]),
        "Date": _written_date(given["date"]) if "date" in given else None,
        "Message-ID": message_id(call),
        "X-Kedge-Key": call.key,
        "MIME-Version": "1.0",
        "Content-Type": "text/plain; charset=utf-8",
        "Content-Transfer-Encoding": encoding,
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in headers.items() if value is not None)
    return head.encode("ascii") + b"\r\n" + body


def read_back(message: bytes, sender: str, recipient: str) -> dict[str, Json]:
    """The parameters a mail was made from, as its envelope and bytes tell."""
    head, _, body = message.partition(b"\r\n\r\n")
    lines = head.decode("ascii").replace("\r\n ", " ").split("\r\n")
    headers: Mapping[str, str] = dict(line.split(": ", 1) for line in lines)
    read: dict[str, Json] = {
        "from": sender,
        "to": recipient,
        "subject": _read_subject(headers["Subject"]),
        "body": _read_body(headers["Content-Transfer-Encoding"], body),
    }
    if "Date" in headers:
        read["date"] = parsedate_to_datetime(headers["Date"]).strftime(_DATE)
    return read


def _written_subject(subject: str) -> str:
    if _PLAIN_SUBJECT.fullmatch(subject) and "=?" not in subject:
        return subject
    words, size = [""], 0
    for character in subject:
        size += len(character.encode())
        if size > _WORD_BYTES:
            words.append("")
            size = len(character.encode())
        words[-1] += character
    return "\r\n ".join(f"=?utf-8?b?{_base64(word)}?=" for word in words)


def _base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def _read_subject(subject: str) -> str:
    words = _WORD.findall(subject)
    return b"".join(base64.b64decode(word) for word in words).decode() if words else subject


def _written_date(date: str) -> str:
    try:
        moment = datetime.strptime(date, _DATE).replace(tzinfo=UTC)
    except ValueError as error:
        raise BadMessage(f"{date!r} is not a time") from error
    return format_datetime(moment)


def _written_body(body: str) -> tuple[str, bytes]:
    # One line end is always added, so that a body with one at its end and one without differ.
    data = body.encode() + b"\n"
    if max(len(line) for line in data.split(b"\n")) > LONGEST_LINE:
        return "quoted-printable", _crlf(quopri.encodestring(data))
    return ("7bit" if data.isascii() else "8bit"), _crlf(data)


def _read_body(encoding: str, body: bytes) -> str:
    data = body.replace(b"\r\n", b"\n")
    if encoding == "quoted-printable":
        data = quopri.decodestring(data)
    return data.decode().removesuffix("\n")


def _crlf(data: bytes) -> bytes:
    return data.replace(b"\n", b"\r\n")
