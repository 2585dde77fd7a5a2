"""Kedge's command line: `manage.py help` lists what it can do."""

import os
import sys

from django.core.management import execute_from_command_line

from config.errors import GroundError

# These advance runs, so they connect as the database user that may do only that.
WORKING = (["work"], ["sweep"])

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    os.environ.setdefault("KEDGE_ROLE", "worker" if sys.argv[1:2] in WORKING else "owner")
    try:
        execute_from_command_line(sys.argv)
    except GroundError as error:
        sys.exit(f"kedge: {error}")
