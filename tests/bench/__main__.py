"""`python -m tests.bench`: sets Django up for the benchmark, then runs it."""

import os
import sys

import django

if __name__ == "__main__":
    os.environ["KEDGE_AGENTS"] = "tests.bench.registry"
    os.environ["KEDGE_LOG_LEVEL"] = "WARNING"
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    os.environ.setdefault("KEDGE_TEST_SUFFIX", "_bench")
    django.setup()
    # Models can be imported only after the set-up.
    from tests.bench.run import main

    sys.exit(main())
