"""Does several things at the same moment."""

import threading
from collections.abc import Callable


def at_once(*acts: Callable[[], object]) -> list[object]:
    """What each act gave, an exception included, in the order of the acts."""
    gate = threading.Barrier(len(acts))
    answers: list[object] = [None] * len(acts)

    def go(number: int, act: Callable[[], object]) -> None:
        gate.wait()
        try:
            answers[number] = act()
        except Exception as error:
            answers[number] = error

    threads = [threading.Thread(target=go, args=each) for each in enumerate(acts)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers
