"""A real provider of OpenID Connect in a process of its own, on a free port of this machine."""

import json
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO
from urllib.error import HTTPError
from urllib.parse import parse_qs, quote, urlencode, urlsplit, urlunsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener, urlopen

from tests.ports import free_port


class _Stay(HTTPRedirectHandler):
    def redirect_request(self, *args: object) -> None:
        return None


@contextmanager
def provider() -> Iterator[str]:
    """Run it; yields its address, which is its issuer."""
    port = free_port()
    command = [sys.executable, "-W", "ignore", "-m", "oidc_provider_mock", "--port", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        assert process.stderr is not None
        while b"Uvicorn running" not in (line := process.stderr.readline()):
            assert line, "the provider did not start"
        drain = threading.Thread(target=_drain, args=[process.stderr], daemon=True)
        drain.start()
        yield f"http://127.0.0.1:{port}"
    finally:
        process.kill()
        process.wait()
        drain.join()


def knows(url: str, sub: str, **claims: object) -> None:
    """The provider says this of an account."""
    body = json.dumps(claims).encode()
    headers = {"Content-Type": "application/json"}
    urlopen(Request(f"{url}/users/{quote(sub)}", body, headers, method="PUT")).close()


def press(question: str, sub: str, *, action: str = "authorize") -> str:
    """Open the form of the provider at this address and press its button: where it leads back to."""
    urlopen(question).close()
    form = urlencode({"sub": sub, "action": action}).encode()
    try:
        build_opener(_Stay).open(Request(question, form))
    except HTTPError as answer:
        return str(answer.headers["Location"])
    raise AssertionError("the provider led nowhere")


def with_query(url: str, **changed: str) -> str:
    """The same address with other values in its query."""
    parts = urlsplit(url)
    query = {name: values[0] for name, values in parse_qs(parts.query).items()} | changed
    return urlunsplit(parts._replace(query=urlencode(query)))


def query_of(url: str) -> dict[str, str]:
    """The query of an address."""
    return {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}


def here(url: str) -> str:
    """The part of an address that a test's client asks for."""
    return re.sub(r"^https?://[^/]+", "", url)


def _drain(pipe: IO[bytes]) -> None:
    with pipe:
        pipe.read()
