"""`python -m tests.acceptance`: the proof in short. Django is set up before anything of it is imported."""

import signal
import sys

from tests.acceptance import ground

ground.prepare()

from tests.acceptance.parts import main  # noqa: E402 - needs Django set up

if __name__ == "__main__":
    # Told to stop, it still takes its database away.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    try:
        sys.exit(main(sys.argv[1:]))
    finally:
        ground.leave()
