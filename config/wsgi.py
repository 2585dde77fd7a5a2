"""Server entry point of the web process."""

import os

from django.core.wsgi import get_wsgi_application
from django.utils.module_loading import import_string

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
os.environ.setdefault("KEDGE_ROLE", "web")
application = get_wsgi_application()
# By name: what it imports needs Django to be set up.
import_string("config.groundcheck.check_ground")()
