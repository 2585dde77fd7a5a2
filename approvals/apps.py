"""Floor `approvals`: the permission. What a person was shown, and what they allowed."""

from django.apps import AppConfig


class ApprovalsConfig(AppConfig):
    name = "approvals"
