"""Opens the demo's tickets in the tracker, as a shop's own form would: past Kedge."""

import base64
import json
import urllib.parse
import urllib.request
from typing import Any

from config.demo.desk.cases import Case
from config.demo.desk.places import ORIGIN, USER, Desk

ANSWER_SECONDS = 10


def number_of(desk: Desk, case: Case) -> str:
    """The number of the case's ticket, which is opened when it is not there. Raises `OSError`."""
    asked = urllib.parse.urlencode({"purchase": case.purchase, "shop": case.shop})
    found = _ask(desk, "GET", f"issue?{asked}")["data"]["collection"]
    if found:
        return str(found[0]["id"])
    given = {
        "title": case.title,
        "shop": case.shop,
        "purchase": case.purchase,
        "cents": case.cents,
        "currency": "EUR",
        "customer": case.customer,
        "customer_name": case.name,
        "customer_mail": case.mail,
        "said": case.said,
    }
    return str(_ask(desk, "POST", "issue", given)["data"]["id"])


def is_there(desk: Desk) -> bool:
    """Whether the tracker answers."""
    try:
        _ask(desk, "GET", "status")
    except OSError:
        return False
    return True


def _ask(desk: Desk, method: str, path: str, body: Any = None) -> Any:
    login = base64.b64encode(f"{USER}:{desk.secret}".encode()).decode()
    headers = {
        "Authorization": f"Basic {login}",
        "Content-Type": "application/json",
        "Origin": ORIGIN,
        "X-Requested-With": "rest",
    }
    content = None if body is None else json.dumps(body).encode()
    url = f"{desk.tickets_url}/rest/data/{path}"
    request = urllib.request.Request(url, content, headers, method=method)  # noqa: S310 - our own
    with urllib.request.urlopen(request, timeout=ANSWER_SECONDS) as answer:  # noqa: S310 - as above
        return json.load(answer)
