"""Log lines say which run, tenant and fence they are about, as JSON."""

import io
import json
import logging
import logging.config
from threading import Thread
from uuid import UUID

import pytest

from canonical.redaction import Hidden, Known
from config.logs import logging_config
from tenants import logs
from tenants.keys import hiding

RUN = UUID("01890000-0000-7000-8000-000000000001")


def lines(*said: str, **extra: object) -> list[dict[str, object]]:
    """What the product's own configuration writes for these messages."""
    stream = io.StringIO()
    configured = logging_config("INFO")
    configurator = logging.config.DictConfigurator(configured)
    handler = logging.StreamHandler(stream)
    handler.setFormatter(configurator.configure_formatter(configured["formatters"]["json"]))
    handler.addFilter(logs.BoundFields())
    logger = logging.Logger("kedge.test")
    logger.addHandler(handler)
    for message in said:
        logger.info(message, extra=extra)
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_a_line_carries_what_is_bound() -> None:
    with logs.bind(run=RUN, tenant="acme"), logs.bind(fence=7):
        (line,) = lines("committed")
    assert {name: line[name] for name in ("run", "tenant", "fence", "message", "level")} == {
        "run": str(RUN),
        "tenant": "acme",
        "fence": 7,
        "message": "committed",
        "level": "INFO",
    }


def test_a_line_about_no_run_says_so() -> None:
    (line,) = lines("started")
    assert (line["run"], line["tenant"], line["fence"]) == (None, None, None)


def test_binding_ends_and_what_a_line_says_itself_wins() -> None:
    with logs.bind(run=RUN):
        (other,) = lines("woken", run="another")
    assert other["run"] == "another"
    assert lines("after")[0]["run"] is None


def test_another_thread_is_not_bound() -> None:
    found = list[dict[str, object]]()
    with logs.bind(run=RUN):
        thread = Thread(target=lambda: found.extend(lines("elsewhere")))
        thread.start()
        thread.join()
    assert found[0]["run"] is None


def test_fields_nobody_searches_for_are_refused() -> None:
    with pytest.raises(TypeError, match="color"), logs.bind(color="red"):
        pass


def test_no_line_says_what_is_sensitive_here_and_now() -> None:
    known = Known([Hidden("swordfish-42", "«secret 0123»")])
    with hiding.hiding(known):
        message, extra = lines("it is swordfish-42", said={"deep": ["swordfish-42"]})[0], ""
        try:
            raise ValueError("swordfish-42")  # noqa: TRY301
        except ValueError as error:
            record = logging.LogRecord("x", 20, "x", 1, "%s", ("swordfish-42",), None)
            record.exc_info = (ValueError, error, error.__traceback__)
            logs.BoundFields().filter(record)
            extra = logging.Formatter().format(record)
    assert message["message"] == "it is «secret 0123»"
    assert message["said"] == {"deep": ["«secret 0123»"]}
    assert "swordfish" not in extra
    assert "ValueError" in extra
    assert lines("it is swordfish-42")[0]["message"] == "it is swordfish-42"
