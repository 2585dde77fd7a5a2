"""Floor `config`: the installation. Settings, site map, embedded services, up."""

import os

from django.apps import AppConfig
from django.conf import settings
from django.utils.module_loading import import_string


class ConfigConfig(AppConfig):
    name = "config"

    def ready(self) -> None:
        """Where runs are worked on, listen to it if somebody wants traces of that."""
        if settings.ROLE == "worker":
            # By name: what it imports needs the models.
            import_string("config.traces.choosing.begin")(os.environ)
