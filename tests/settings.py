"""The installation's settings, on servers of the tests' own unless the environment names some.

pytest-django reads the settings before any conftest is loaded, so the servers must stand by now.
"""

from tests import ground

GROUND = ground.ensure()

from config.settings import *  # noqa: E402, F403 - reads the addresses named by the line above
