"""A real chat server (fakellm) in a process of its own, for as long as a test needs it."""

import contextlib
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from tests.ports import free_port


@contextlib.contextmanager
def chat_server(folder: Path, rules: list[dict[str, Any]]) -> Iterator[str]:
    """Starts fakellm with these rules; yields the address for `KEDGE_MODEL_URL`."""
    config = folder / "fakellm.yaml"
    config.write_text(yaml.safe_dump({"version": 1, "rules": rules}), encoding="utf-8")
    port = free_port()
    command = [sys.executable, "-m", "fakellm.cli", "serve"]
    command += ["--port", str(port), "--config", str(config)]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    environment = os.environ | {"FAKELLM_CONFIG": str(config)}
    process = subprocess.Popen(command, env=environment, **quiet)  # type: ignore[call-overload]
    try:
        _wait_until_it_answers(f"http://127.0.0.1:{port}/_fakellm/stats", process)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.kill()
        process.wait()


def _wait_until_it_answers(url: str, process: "subprocess.Popen[bytes]") -> None:
    for _ in range(400):
        assert process.poll() is None, "the chat server ended at once"
        with contextlib.suppress(OSError), urllib.request.urlopen(url, timeout=2):
            return
        time.sleep(0.05)
    raise AssertionError("the chat server did not start")
