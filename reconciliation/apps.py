"""Floor `reconciliation`: the world. What was asked of it, what really happened."""

from django.apps import AppConfig


class ReconciliationConfig(AppConfig):
    name = "reconciliation"
