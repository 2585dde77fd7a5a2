"""Nothing is traced unless a collector is named; without the extra nothing else changes."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from checkpoints import traces
from config.traces import choosing
from tests import ground
from tests.test_shape import MODULES

NAMED = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector.example:4318"}


@pytest.mark.parametrize(
    "env",
    [
        {},
        {"OTEL_EXPORTER_OTLP_ENDPOINT": ""},
        {**NAMED, "OTEL_SDK_DISABLED": "TRUE"},
        {**NAMED, "OTEL_TRACES_EXPORTER": "none"},
    ],
)
def test_nobody_listens_unless_the_standard_variables_ask_for_it(env: dict[str, str]) -> None:
    assert not choosing.begin(env)
    assert type(traces.port) is traces.Port


def test_a_named_collector_is_told() -> None:
    assert choosing.begin(NAMED)
    assert type(traces.port) is not traces.Port


def test_without_the_extra_nothing_is_traced_and_it_is_said(
    caplog: pytest.LogCaptureFixture,
) -> None:
    script = (
        "import sys; sys.modules['opentelemetry'] = None\n"
        "import django; django.setup()\n"
        "from checkpoints import traces; print(type(traces.port).__name__, traces.port.code(None))"
    )
    env = {
        **os.environ,
        **NAMED,
        "KEDGE_ROLE": "worker",
        "DJANGO_SETTINGS_MODULE": "tests.settings",
    }
    command = [sys.executable, "-c", script]
    done = subprocess.run(
        command, env=env, cwd=ground.ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Port <checkpoints.traces.Span")
    assert "no traces, although a collector is named" in done.stderr


def test_one_package_alone_imports_opentelemetry() -> None:
    found = {path.relative_to(ground.ROOT).parent for path in MODULES if _imports(path)}
    assert found == {Path("config/traces/otel")}


def _imports(path: Path) -> bool:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        if isinstance(node, ast.ImportFrom):
            names.add(node.module or "")
    return any(name.split(".")[0] == "opentelemetry" for name in names)
