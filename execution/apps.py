"""Floor `execution`: going on. The workers: acquire, re-check, advance, sweep."""

from django.apps import AppConfig


class ExecutionConfig(AppConfig):
    name = "execution"
