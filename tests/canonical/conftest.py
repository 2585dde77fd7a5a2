"""How hypothesis runs here: no deadline, because a busy machine is not a fault of the code."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "busy", deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("busy")
