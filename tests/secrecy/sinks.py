"""Everything that leaves: all rows of all tables, the log, the journal and spool, and pages."""

import base64
import io
import json
import logging
import logging.config
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from django.conf import settings
from django.db import connection

from config.logs import logging_config
from tenants.logs import Lines
from tests.secrecy.registry import MAIL, PASSWORD

VALUES = (PASSWORD, MAIL, PASSWORD[::-1])


def spelt(value: str) -> set[bytes]:
    """What would give a value away; written apart from the product's own list."""
    data = value.encode()
    texts = {value, json.dumps(value)[1:-1], quote(value), quote(value, safe=""), data.hex()}
    for shift in range(3):
        whole = base64.b64encode(b"\0" * shift + data).decode()
        texts.add(whole[-(-shift * 8 // 6) : len(whole) // 4 * 4 - 4])
    return {text.encode() for text in texts}


def quoted(*values: str) -> str:
    """A sentence that says these values in every spelling in which a person may meet them."""
    texts = []
    for value in values:
        data = value.encode()
        texts += [value, json.dumps(value), quote(value), quote(value, safe=""), data.hex()]
        texts += [base64.b64encode(b"user:"[:shift] + data).decode() for shift in range(6)]
    return f"It was {', then '.join(texts)}."


def leaks(content: bytes) -> list[bytes]:
    """What of the secrets stands in this."""
    return [text for value in VALUES for text in spelt(value) if text in content]


def rows() -> Iterator[tuple[str, bytes]]:
    """Every row of every table, with its bytes as bytes."""
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT * FROM "{table}"')
            for row in cursor.fetchall():
                parts = [
                    bytes(v) if isinstance(v, memoryview | bytes) else str(v).encode() for v in row
                ]
                yield table, b"\0".join(parts)


def files() -> Iterator[tuple[str, bytes]]:
    """The journal and the spool."""
    for path in Path(settings.KEDGE_JOURNAL_DIR).rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            yield str(path), content
            if path.suffix == ".json":
                yield str(path), base64.b64decode(json.loads(content)["content"])


def leaking() -> list[tuple[str, list[bytes]]]:
    """Where in tables and files a secret stands: must be empty."""
    return [(name, leaks(content)) for name, content in [*rows(), *files()] if leaks(content)]


@contextmanager
def logged() -> Iterator[io.StringIO]:
    """What the product's own log configuration writes of everything said inside."""
    stream = io.StringIO()
    configured = logging_config("INFO")
    configurator = logging.config.DictConfigurator(configured)
    handler = Lines(stream)
    handler.setFormatter(configurator.configure_formatter(configured["formatters"]["json"]))
    handler.addFilter(configurator.configure_filter(configured["filters"]["bound"]))
    logging.getLogger().addHandler(handler)
    try:
        yield stream
    finally:
        logging.getLogger().removeHandler(handler)
