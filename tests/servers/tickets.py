"""The demo's tracker with somebody who may not write: `tickets.py FOLDER PORT`, its own process."""

import sys
from pathlib import Path

from config.demo.desk import tracker

if __name__ == "__main__":
    folder, port = Path(sys.argv[1]), int(sys.argv[2])
    tracker.make(folder, port, "desk:desk")
    tracker.add(folder, "clerk", "clerk", "Anonymous")
    tracker.serve(folder, port)
