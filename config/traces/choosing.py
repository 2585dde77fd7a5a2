"""Whether this process traces: only where the environment names a collector and the extra is there."""

import logging
from collections.abc import Mapping
from typing import Final

from django.utils.module_loading import import_string

from checkpoints import traces

log = logging.getLogger(__name__)

ENDPOINTS: Final = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")


def wanted(env: Mapping[str, str]) -> bool:
    """Whether the standard variables of OpenTelemetry ask for traces over OTLP."""
    disabled = env.get("OTEL_SDK_DISABLED", "").strip().lower() == "true"
    exporter = env.get("OTEL_TRACES_EXPORTER", "otlp").strip().lower()
    return exporter == "otlp" and not disabled and any(env.get(name) for name in ENDPOINTS)


def begin(env: Mapping[str, str]) -> bool:
    """Listen to turns from now on, if that is wanted and can be done; says whether it does."""
    if not wanted(env):
        return False
    try:
        # By name: only that package imports OpenTelemetry, which may not be installed.
        listening: traces.Port = import_string("config.traces.otel.listening.Tracing")()
    except ImportError as error:
        log.warning("no traces, although a collector is named: %s. Run `make traces`", error)
        return False
    traces.use(listening)
    return True
