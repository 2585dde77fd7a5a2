"""Log lines as JSON on standard error, one object per line, with run, tenant and fence."""

from typing import Any

# Nulls stay: a line about no run says so, and every line has the same fields.
FORMAT = "{levelname} {name} {message} {run} {tenant} {fence}"


def logging_config(level: str) -> dict[str, Any]:
    """The LOGGING setting, for everything from `level` up."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "filters": {"bound": {"()": "tenants.logs.BoundFields"}},
        "formatters": {
            "json": {
                "()": "pythonjsonlogger.json.JsonFormatter",
                "format": FORMAT,
                "style": "{",
                "timestamp": "at",
                "rename_fields": {"levelname": "level", "name": "logger"},
            }
        },
        "handlers": {
            "stderr": {
                "class": "tenants.logs.Lines",
                "formatter": "json",
                "filters": ["bound"],
            }
        },
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {
            # Django's own would add lines of another form.
            "django": {"handlers": [], "level": level, "propagate": True},
            "django.server": {"handlers": [], "level": level, "propagate": True},
        },
    }
