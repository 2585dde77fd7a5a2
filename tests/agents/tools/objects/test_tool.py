"""What the store says, what left, and that a redirect or a second request never leaves."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from agents.tools.declaring import read_file, schema_at
from agents.tools.errors import BadDeclaration, BadProposal, NotConfirmed, PlaceTaken
from agents.tools.objects import naming
from agents.tools.objects.declared import SCHEMA, load
from agents.tools.objects.tool import PutDocument
from agents.tools.wire.errors import NoAnswer, NotSent
from agents.tools.wire.reach import Reach
from canonical.digests import sha256_hex
from canonical.json import loads
from reconciliation.tools import Call, Capabilities, CredentialInvalid, Refused, Unanswered
from tests.agents.tools.wire.scripted import Script, answer, scripted
from tests.contract.http_worlds import DECLARATIONS
from tests.contract.object_worlds import StoreWorld, seaweed
from tests.contract.worlds import make_call, next_attempt, reference_to

FILE = DECLARATIONS / "store_receipt.json"
CONTENT = b"Refunded.\n"
GIVEN = {"name": "receipt.txt", "media": "text/plain"}


def call(content: bytes = CONTENT) -> Call:
    return make_call({**GIVEN, "document": reference_to(content)}, content)


def tool_at(server: Script, **store: Any) -> PutDocument:
    given = read_file(FILE)
    given["store"] |= store
    url = f"http://127.0.0.1:{server.port}"
    names = {"KEDGE_TEST_S3": url, "KEDGE_TEST_S3_ID": "a", "KEDGE_TEST_S3_SECRET": "b"}
    return PutDocument(load(given), Reach(names, frozenset({"127.0.0.1"})))


def no(status: int, code: str) -> bytes:
    return answer(status, f"<Error><Code>{code}</Code></Error>".encode())


@pytest.fixture
def store(tmp_path: Path) -> Iterator[StoreWorld]:
    made = seaweed(tmp_path)
    yield made
    made.close()


def test_the_published_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(schema_at(SCHEMA))


def test_a_bucket_that_is_none_is_refused() -> None:
    given = read_file(FILE)
    given["store"]["bucket"] = "../other"
    with pytest.raises(BadDeclaration):
        load(given)


@pytest.mark.parametrize(
    ("said", "means"),
    [
        (no(412, "PreconditionFailed"), PlaceTaken),
        (no(409, "ConditionalRequestConflict"), PlaceTaken),
        (no(403, "AccessDenied"), Refused),
        (no(404, "NoSuchBucket"), Refused),
        (no(400, "RequestTimeout"), NotConfirmed),
        (no(500, "InternalError"), NotConfirmed),
        (no(503, "SlowDown"), NotConfirmed),
        (answer(200, b"").replace(b"200", b"abc"), NoAnswer),
    ],
)
def test_what_its_answers_mean(said: bytes, means: type[Exception]) -> None:
    with scripted(said) as server:
        with pytest.raises(means) as raised:
            tool_at(server).perform(call())
        assert raised.type is means
        assert len(server.asked) == 1


@pytest.mark.parametrize("status", [301, 307])
def test_it_is_not_sent_to_another_region(status: int) -> None:
    headers = ("Location: http://127.0.0.1:1/", "x-amz-bucket-region: eu-west-1")
    said = answer(status, b"<Error><Code>PermanentRedirect</Code></Error>", *headers)
    with scripted(said) as server:
        with pytest.raises((NotConfirmed, NoAnswer)):
            tool_at(server).perform(call())
        assert len(server.asked) == 1


def test_a_store_without_preconditions_can_only_be_looked_at() -> None:
    with scripted(answer(200, b"")) as server:
        tool = tool_at(server, honours_if_none_match=False)
        assert tool.capabilities == Capabilities(look_up=True)
        with pytest.raises(Unanswered):
            tool.void(call())
        assert not server.asked
        asked = call()
        assert tool.perform(asked).wire_digest == sha256_hex(asked.parameter_bytes)
    assert "If-None-Match" not in server.asked[0][1]


def test_what_is_not_the_proposed_document_is_never_sent() -> None:
    with scripted(answer(200)) as server:
        tool = tool_at(server)
        wrong = make_call({**GIVEN, "document": {**reference_to(CONTENT), "size": 3}}, CONTENT)
        with pytest.raises(BadProposal):
            tool.dry_run(wrong)
        with pytest.raises(Refused, match="nothing was sent"):
            tool.perform(wrong)
        assert not server.asked


def test_a_private_store_is_reached_only_if_listed() -> None:
    names = {"KEDGE_TEST_S3": "https://127.0.0.1:1", "KEDGE_TEST_S3_ID": "a"}
    names["KEDGE_TEST_S3_SECRET"] = "b"
    with pytest.raises(NotSent, match="private"):
        PutDocument(load(read_file(FILE)), Reach(names)).perform(call())


def test_other_bytes_than_approved_have_another_digest() -> None:
    asked = call()
    with scripted(answer(200, b"")) as server:
        tool = tool_at(server)
        tool.perform(asked)
    line, headers, body = server.asked[0]
    head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    left = f"{line}\r\n{head}\r\n".encode() + body

    def digest(content: bytes) -> str:
        return naming.wire_digest(tool._declared, content, asked)

    assert digest(left) == sha256_hex(asked.parameter_bytes)
    changes: list[tuple[bytes, bytes]] = [
        (b"Refunded.", b"Refunded!"),
        (b"receipt.txt", b"other.txt"),
        (b"text/plain", b"text/html"),
        (b"If-None-Match: *", b"X-Other: *"),
        (asked.action_id.encode(), b"another"),
        (b"PUT", b"POST"),
    ]
    for old, new in changes:
        assert old in left
        assert digest(left.replace(old, new, 1)) != sha256_hex(asked.parameter_bytes)


def test_a_dry_run_shows_what_will_be_stored(store: StoreWorld) -> None:
    asked = store.call()
    shown: Any = loads(store.tool.dry_run(asked).diff)
    assert shown["before"] == {}
    assert shown["after"]["text"] == "Refunded: 12,50 €\n"
    assert shown["after"]["object"] == f"receipts/{asked.action_id}/receipt.txt"


def test_what_stands_there_with_another_key_or_content_is_not_ours(store: StoreWorld) -> None:
    asked = store.call()
    store.tool.perform(asked)
    other = reference_to(b"other")
    changes: list[Callable[[], Call]] = [
        lambda: Call(**{**vars(asked), "key": "0" * 64}),
        lambda: Call(**{**vars(asked), "parameters": {**asked.parameters, "document": other}}),
    ]
    for change in changes:
        with pytest.raises(Unanswered):
            store.tool.look_up(change())
    with pytest.raises(PlaceTaken):
        store.tool.perform(next_attempt(asked))


def test_a_wrong_secret_is_found_before_the_effect(store: StoreWorld) -> None:
    store.refuse()
    with pytest.raises(CredentialInvalid):
        store.tool.check_credential("acme")
