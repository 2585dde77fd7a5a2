"""What runs is asked of the kernel."""

import os
import subprocess
import sys
from pathlib import Path

from config.embedded import processes
from tests import ground


def test_who_works_in_a_folder_is_found_and_nobody_else(tmp_path: Path) -> None:
    assert processes.working_in(tmp_path) == []
    with subprocess.Popen(["sleep", "60"], cwd=tmp_path) as sleeper:
        assert processes.working_in(tmp_path) == [sleeper.pid]
        # Its name appears a moment after it began to run.
        ground.wait_for(lambda: processes.name_of(sleeper.pid) == "sleep 60", "it has its name")
        sleeper.kill()


def test_a_process_that_ended_is_not_alive_even_before_it_is_waited_for() -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ground.wait_for(lambda: not processes.alive(ended.pid), "it has ended")
    ended.wait()
    assert not processes.alive(ended.pid)
    assert processes.name_of(ended.pid) == ""
    assert processes.alive(os.getpid())
