"""No log line says a secret, in whatever way it is handed to the logging module."""

import json
import logging
from collections.abc import Callable

import pytest

from canonical.redaction import Hidden, Known
from tenants.keys import hiding
from tests.secrecy.registry import MAIL, PASSWORD
from tests.secrecy.sinks import leaks, logged, quoted

log = logging.getLogger("kedge.test")
ALL = quoted(PASSWORD, MAIL)
KNOWN = Known(Hidden(value, "«secret 0»") for value in (PASSWORD, MAIL))


class Thing:
    """Says a secret when it is asked what it is."""

    def __str__(self) -> str:
        return ALL


def raised() -> None:
    try:
        raise ValueError({"password": PASSWORD}, ALL)  # noqa: TRY301
    except ValueError:
        log.exception("it failed with %s", PASSWORD)


SAID: dict[str, Callable[[], None]] = {
    "the words": lambda: log.warning(ALL),
    "a part": lambda: log.warning("it is %s", ALL),
    "a part of an object": lambda: log.warning("it is %s", {"deep": [PASSWORD, {"mail": MAIL}]}),
    "a part that says it": lambda: log.warning("it is %s", Thing()),
    "a form that does not fit": lambda: log.warning("%d of %d", PASSWORD),  # noqa: PLE1206
    "an error and its trace": raised,
    "a stack": lambda: log.warning("%s", PASSWORD, stack_info=True),
    "more": lambda: log.warning("it", extra={"password": ALL}),
    "more, deep": lambda: log.warning("it", extra={"all": {"a": [PASSWORD], MAIL: 1}}),
    "more, as a tuple": lambda: log.warning("it", extra={"all": (PASSWORD, [MAIL])}),
    "more, as a thing": lambda: log.warning("it", extra={"all": Thing()}),
}


@pytest.mark.parametrize("how", SAID)
def test_a_known_value_is_in_no_line(how: str) -> None:
    with logged() as stream, hiding.hiding(KNOWN):
        SAID[how]()
    written = stream.getvalue()
    assert [json.loads(line)["logger"] for line in written.splitlines()] == ["kedge.test"]
    assert leaks(written.encode()) == []
