"""`python -m tests.crash.rolled`: rollbacks that are killed. Django is set up before anything is imported."""

import signal
import sys

from tests.crash import ground

ground.prepare()

from tests.crash.rolling_back import main  # noqa: E402 - needs Django set up

if __name__ == "__main__":
    # Told to stop, it still takes its databases away.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    try:
        sys.exit(main())
    finally:
        ground.leave()
