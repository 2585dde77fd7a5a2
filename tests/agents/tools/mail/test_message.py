"""A mail is made from its parameters alone, any mail reader reads it, and it reads back exactly."""

from email import message_from_bytes, policy

import jsonschema
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from agents.tools.mail.errors import BadMessage
from agents.tools.mail.message import LONGEST_LINE, compose, message_id, read_back
from agents.tools.mail.schemas import PARAMETERS
from reconciliation.tools import Json
from tests.contract.worlds import make_call, next_attempt

KNOWN = {"to": "ann@example.org", "from": "kedge@example.org"}
LETTERS = st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"])
SUBJECTS = st.text(LETTERS, min_size=1, max_size=200)
BODIES = st.text(LETTERS | st.sampled_from(".\n= \t"), max_size=300)


def mail(**parameters: str) -> dict[str, Json]:
    return {**KNOWN, "subject": "Anchor", "body": "Down.\n", **parameters}


@given(SUBJECTS, BODIES, st.sampled_from([1, 40]))
@example("=?utf-8?b?eA==?=", "x", 1)
@example(" leading", "x\n", 1)
@example("Anchor", "x\n\n", 1)
@example("Anchor", "a = b \n\t\n", 400)
def test_a_mail_reads_back_as_its_parameters(subject: str, body: str, times: int) -> None:
    parameters = mail(subject=subject, body=body * times)
    written = compose(make_call(parameters))
    assert read_back(written, KNOWN["from"], KNOWN["to"]) == parameters
    assert all(len(line) <= LONGEST_LINE for line in written.split(b"\r\n"))
    assert b"\n" not in written.replace(b"\r\n", b"")


@given(SUBJECTS, BODIES)
def test_any_mail_reader_sees_what_was_meant(subject: str, body: str) -> None:
    call = make_call(mail(subject=subject, body=body, date="2026-01-02T03:04:05Z"))
    read = message_from_bytes(compose(call), policy=policy.default)
    assert not read.defects
    # A mail reader may fold white space, so only what is not white is compared.
    assert str(read["Subject"]).split() == subject.split() or not subject.isascii()
    assert read.get_content().replace("\r\n", "\n") == body + "\n"
    assert read["Date"].datetime.isoformat() == "2026-01-02T03:04:05+00:00"
    assert [read["Message-ID"], read["X-Kedge-Key"]] == [message_id(call), call.key]
    assert [read["To"], read["From"]] == [KNOWN["to"], KNOWN["from"]]


@pytest.mark.parametrize("subject", ["Grüße", "é" * 300, "日本語 and English", "a" * 500])
def test_a_subject_in_any_script_arrives_whole(subject: str) -> None:
    read = message_from_bytes(compose(make_call(mail(subject=subject))), policy=policy.default)
    assert str(read["Subject"]) == subject


def test_every_attempt_sends_the_same_bytes() -> None:
    call = make_call(mail())
    assert compose(call) == compose(next_attempt(call))


@pytest.mark.parametrize(
    "odd",
    [
        {"to": "ann@example.org, bob@example.org"},
        {"to": "ann@example.org\nBcc: bob@example.org"},
        {"to": "Ann <ann@example.org>"},
        {"to": "ann"},
        {"to": "änn@example.org"},
        {"from": "kedge@example.org\n"},
        {"subject": "x\nBcc: bob@example.org"},
        {"subject": "x\u2028y"},
        {"subject": ""},
        {"body": "x\ry"},
        {"body": "x\0y"},
        {"date": "yesterday"},
        {"cc": "bob@example.org"},
    ],
)
def test_more_than_one_recipient_or_header_is_against_the_schema(odd: dict[str, str]) -> None:
    jsonschema.validate(mail(), PARAMETERS)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(mail(**odd), PARAMETERS)


def test_a_day_that_does_not_exist_is_refused() -> None:
    with pytest.raises(BadMessage):
        compose(make_call(mail(date="2026-02-30T00:00:00Z")))
