"""Metrics are read with their own token, over HTTP, and with nothing else."""

import os
import subprocess
import sys
from urllib.parse import urlsplit

import pytest
from django.db import connection
from django.test import Client

from config import programs
from config.metrics import catalog, serving
from config.metrics.options import Options
from config.metrics.serving import App
from tests import ground
from tests.config.metrics.scraping import TOKEN, ask, bearer, parsed, served
from tests.people import ada, make_tenant
from tests.ports import free_port

pytestmark = pytest.mark.django_db(transaction=True)


def app(token: str = TOKEN) -> App:
    return App(token, by_tenant=False)


def test_every_metric_of_the_catalogue_is_scraped_with_its_type_and_help() -> None:
    with served(app()) as port:
        status, headers, text = ask(port, headers=bearer())
    assert status == 200
    assert headers["content-type"].startswith("text/plain; version=0.0.4")
    assert headers["cache-control"] == "no-store"
    assert "set-cookie" not in headers
    found = parsed(text)
    # Nothing ran here, so no sweeper ever ended a round and no combo has runs.
    absent = {each.name for each in catalog.METRICS if "combo" in each.labels}
    absent.add("kedge_sweeper_round_duration_seconds")
    for metric in catalog.METRICS:
        if metric.name not in absent:
            kind = "histogram" if metric.buckets else "gauge"
            assert found.told[metric.name] == (kind, metric.help)
    assert found.total("kedge_scrape_part_ok") == len(found.values["kedge_scrape_part_ok"])


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": f"Basic {TOKEN}"},
        {"Authorization": TOKEN},
        bearer(TOKEN[:-1]),
        bearer(TOKEN + "x"),
        bearer(""),
        bearer("ü" * 40),
        {"Cookie": f"kedge_session={TOKEN}"},
    ],
    ids=["none", "basic", "bare", "shorter", "longer", "empty", "not-ascii", "cookie"],
)
def test_a_stranger_is_refused_and_learns_nothing(headers: dict[str, str]) -> None:
    with served(app()) as port:
        status, told, text = ask(port, headers=headers)
    assert (status, "kedge_" in text) == (401, False)
    assert told["www-authenticate"].startswith("Bearer")


def test_a_persons_session_opens_no_metrics() -> None:
    client = Client()
    client.force_login(ada(make_tenant()))
    session = client.cookies["kedge_session"].value
    with served(app()) as port:
        assert ask(port, headers={"Cookie": f"kedge_session={session}"})[0] == 401
    # Nor has the web process such an address.
    assert client.get("/metrics").status_code == 404


def test_the_token_opens_no_page() -> None:
    for path in ("/", "/t/acme/", "/metrics"):
        answer = Client().get(path, headers=bearer())
        assert answer.status_code in (302, 400, 401, 403, 404)
        assert b"kedge_" not in answer.content or answer.status_code == 302


@pytest.mark.parametrize("path", ["/", "/metrics/", "/metrics/x", "/healthz", "/t/acme/"])
def test_nothing_else_is_served_there(path: str) -> None:
    with served(app()) as port:
        assert ask(port, path, headers=bearer())[0] == 404


def test_with_no_token_set_there_is_nothing() -> None:
    with served(app("")) as port:
        assert ask(port, headers=bearer(""))[0] == 404
        assert ask(port, headers={"Authorization": "Bearer"})[0] == 404


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
def test_metrics_can_only_be_read(method: str) -> None:
    with served(app()) as port:
        assert ask(port, method=method, headers=bearer())[0] == 405
        assert ask(port, method=method)[0] == 401


def test_whoever_asks_often_does_not_ask_the_record_each_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(serving, "FRESH_SECONDS", 3600.0)
    with served(app()) as port:
        before = ask(port, headers=bearer())[2]
        make_tenant("new")
        assert ask(port, headers=bearer())[2] == before


def test_make_up_starts_it_if_and_only_if_there_is_a_token(settings: object) -> None:
    settings.KEDGE_METRICS = Options(TOKEN, 8701, by_tenant=False)  # type: ignore[attr-defined]
    found = {each.name: each for each in programs.ours(("work", "sweep"))}
    assert found["metrics"].role == "worker"
    assert "127.0.0.1:8701" in found["metrics"].command
    assert TOKEN not in " ".join(found["metrics"].command)
    settings.KEDGE_METRICS = Options("", 8701, by_tenant=False)  # type: ignore[attr-defined]
    assert "metrics" not in {each.name for each in programs.ours(("work", "sweep"))}


def test_the_program_that_is_started_serves_a_scrape() -> None:
    port, given = free_port(), urlsplit(os.environ["DATABASE_URL"])
    url = given._replace(path=f"/{connection.settings_dict['NAME']}").geturl()
    command = programs._gunicorn("config.metrics.gunicorn", port)
    env = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "KEDGE_ROLE": "worker",
        "KEDGE_METRICS_TOKEN": TOKEN,
        "DATABASE_URL": url,
    }
    assert command[0] == sys.executable
    with subprocess.Popen(command, env=env, cwd=ground.ROOT, stderr=subprocess.PIPE) as program:
        try:
            ground.wait_for(lambda: answers(port), "the metrics to be served", seconds=60)
            status, _, text = ask(port, headers=bearer())
            assert (status, ask(port)[0]) == (200, 401)
            assert parsed(text).value("kedge_runs_due") == 0
        finally:
            program.terminate()


def answers(port: int) -> bool:
    try:
        return ask(port)[0] == 401
    except OSError:
        return False
