"""Every module of faults there is; a new one is added here."""

from tests.chaos.faults import (
    boundaries,
    by_name,
    callers,
    clocks,
    crowds,
    cuts,
    disks,
    hunger,
    kills,
    moods,
    nets,
    postgres,
    stops,
    valkey,
)

MODULES = (
    kills,
    boundaries,
    stops,
    moods,
    crowds,
    callers,
    hunger,
    cuts,
    postgres,
    valkey,
    clocks,
    nets,
    disks,
)
KINDS = by_name(MODULES)
