"""The database's clock, under the name that migrations and permission know it by."""

from tenants.clock import NOW, ClockTimestamp, now

__all__ = ["NOW", "ClockTimestamp", "now"]
