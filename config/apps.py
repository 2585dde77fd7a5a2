"""Floor `config`: the installation. Settings, site map, embedded services, up."""

from django.apps import AppConfig


class ConfigConfig(AppConfig):
    name = "config"
