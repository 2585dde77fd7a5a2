"""Floor `tenants`: the people. Tenants, users, rights, audit."""

from django.apps import AppConfig


class TenantsConfig(AppConfig):
    name = "tenants"
