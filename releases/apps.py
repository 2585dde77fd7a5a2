"""Floor `releases`: the traffic. Which combo gets new runs; gates; roll back."""

from django.apps import AppConfig


class ReleasesConfig(AppConfig):
    name = "releases"
