"""`python -m tests.restores.broken COMMAND`: `manage.py COMMAND` of a product broken on purpose."""

import os
import sys

import django
from django.core.management import execute_from_command_line
from django.utils.module_loading import import_string

if __name__ == "__main__":
    django.setup()
    # By name: what it imports needs Django to be set up.
    import_string("tests.restores.mutants.MUTANTS")[os.environ["KEDGE_RESTORES_MUTANT"]]()
    execute_from_command_line(["manage.py", *sys.argv[1:]])
