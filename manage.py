"""Kedge's command line: `manage.py help` lists what it can do."""

import os
import sys

import django
from django.core.management import execute_from_command_line
from django.utils.module_loading import import_string

from config.errors import GroundError

# These advance runs: as the database user that may do only that, and on sound ground.
WORKING = (["work"], ["sweep"])


def main() -> None:
    """Run the command. Why Kedge cannot start is a sentence, not a traceback."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    working = sys.argv[1:2] in WORKING
    os.environ.setdefault("KEDGE_ROLE", "worker" if working else "owner")
    try:
        if working:
            django.setup()
            # By name: what it imports needs Django to be set up.
            import_string("config.groundcheck.check_ground")()
        execute_from_command_line(sys.argv)
    except GroundError as error:
        sys.exit(f"kedge: {error}")


if __name__ == "__main__":
    main()
