"""Server entry point of the web process."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
os.environ.setdefault("KEDGE_ROLE", "web")
application = get_wsgi_application()
