"""The processes of one installation in a story: real workers and a sweeper, which may be killed at once."""

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from config.embedded import processes
from tests.ground import ROOT


@dataclass
class Crew:
    """Workers and sweeper with one environment; `name` is how they are called in the log's file."""

    environment: Mapping[str, str]
    log: Path
    running: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def start(self, workers: int) -> None:
        """Start a sweeper and so many workers; returns at once."""
        for command in ("sweep", *["work"] * workers):
            self.running.append(self._process(command))

    def kill(self) -> None:
        """Kill all of them, horses too: those die with their worker, whatever they are doing."""
        for process in self.running:
            process.kill()
        for process in self.running:
            process.wait()
        self.running.clear()

    def refuse_if_ended(self) -> None:
        """Nobody of them ends by itself."""
        for process in self.running:
            assert process.poll() is None, self.log.read_text()[-3000:]

    def _process(self, command: str) -> subprocess.Popen[bytes]:
        broken = self.environment["KEDGE_RESTORES_MUTANT"]
        program = ["-m", "tests.restores.broken"] if broken else [str(ROOT / "manage.py")]
        with self.log.open("ab") as log:
            return subprocess.Popen(
                processes.tied([sys.executable, *program, command]),
                env={**os.environ, **self.environment, "KEDGE_ROLE": "worker"},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=ROOT,
                start_new_session=True,
            )
