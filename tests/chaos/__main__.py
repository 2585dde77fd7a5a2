"""`python -m tests.chaos`: attack everything, heal it, and count. Servers first, then Django."""

import signal
import sys
from contextlib import ExitStack

from tests.chaos import ground, options, servers

OPTIONS = options.parse(sys.argv[1:])
STACK = ExitStack()
SERVERS = STACK.enter_context(servers.opened())
ground.prepare(SERVERS, mutant=OPTIONS.mutant)

from tests.chaos.harness import main  # noqa: E402 - needs Django set up

if __name__ == "__main__":
    # Told to stop, it still takes everything away.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    with STACK:
        sys.exit(main(OPTIONS, SERVERS))
