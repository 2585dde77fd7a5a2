"""The engine, for tests that need a run which really asks; how hypothesis runs on a busy machine."""

from hypothesis import HealthCheck, settings

from tests.engine.conftest import engine

__all__ = ["engine"]

settings.register_profile(
    "busy", deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("busy")
