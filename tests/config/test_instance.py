"""One instance per folder and per port; the second is told where the first is."""

import json
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from config import instance
from config.errors import GroundError

# Takes the lock as `up` does, hands it to a child as `up` does to the supervisor, and is killed.
KILLED = """
import os, pathlib, subprocess, sys
from config import instance
lock = instance.take(pathlib.Path(sys.argv[1]), 8700, say=print)
subprocess.Popen(["sleep", sys.argv[2]], stdin=lock)
os.kill(os.getpid(), 9)
"""


def test_a_second_instance_is_told_where_the_first_is(tmp_path: Path) -> None:
    lock = instance.take(tmp_path, 8701, say=print)
    with pytest.raises(GroundError, match=r"already runs.*http://127.0.0.1:8701/"):
        instance.take(tmp_path, 8702, say=print)
    lock.close()
    instance.take(tmp_path, 8702, say=print).close()


def test_a_killed_instance_is_waited_for_until_its_programs_have_ended(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", KILLED, str(tmp_path), "0.5"], check=False)
    said: list[str] = []
    instance.take(tmp_path, 8700, say=said.append).close()
    assert said == ["An earlier instance was killed and still stops its programs; waiting for it"]


def test_what_a_killed_instance_wrote_does_not_hold_the_folder(tmp_path: Path) -> None:
    (tmp_path / "instance.lock").write_text(json.dumps({"pid": 1, "port": 8700}))
    instance.take(tmp_path, 8700, say=print).close()


def test_a_taken_port_is_a_sentence() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(GroundError, match=f"Port {port} cannot be used.*set KEDGE_PORT"):
            instance.refuse_taken_port(port, "KEDGE_PORT")
    instance.refuse_taken_port(port, "KEDGE_PORT")
