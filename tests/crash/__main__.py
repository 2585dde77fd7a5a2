"""`python -m tests.crash`: the kill matrix. Django is set up before anything of it is imported."""

import sys

from tests.crash import ground

ground.prepare()

from tests.crash.matrix import main  # noqa: E402 - needs Django set up

if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    finally:
        ground.leave()
