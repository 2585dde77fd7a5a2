"""Server entry point of the process that serves metrics."""

import os

import django
from django.conf import settings
from django.utils.module_loading import import_string

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
os.environ.setdefault("KEDGE_ROLE", "worker")
django.setup()
# By name: what they import needs Django to be set up. A user that the second wall keeps out would
# count nothing and say so as zeros; it is refused here.
import_string("config.groundcheck.check_ground")()
application = import_string("config.metrics.serving.App")(
    settings.KEDGE_METRICS.token, by_tenant=settings.KEDGE_METRICS.by_tenant
)
