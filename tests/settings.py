"""The installation's settings, on servers of the tests' own unless the environment names some.

pytest-django reads the settings before any conftest is loaded, so the servers must stand by now.
"""

import os
import tempfile

from tests import ground

GROUND = ground.ensure()
# The refund desk is tested like everything else; its systems are started by the tests that ask.
os.environ.setdefault("KEDGE_REFUND_DESK", "1")
os.environ.setdefault("KEDGE_TOOL_PRIVATE_HOSTS", "127.0.0.1")
# Many tests lose many answers in a row; those that are about doors say when one closes.
os.environ.setdefault("KEDGE_DOOR_UNKNOWNS", "1000")
# Nobody looks up beside a test what it is about to count.
os.environ.setdefault("KEDGE_SAMPLES_PER_MINUTE", "0")
# A journal of its own for each session: lines of earlier ones would be of another record.
JOURNAL = None
if "KEDGE_JOURNAL_DIR" not in os.environ:
    JOURNAL = os.environ["KEDGE_JOURNAL_DIR"] = tempfile.mkdtemp(prefix="kedge-journal-")

from config.settings import *  # noqa: E402, F403 - reads the addresses named by the line above
