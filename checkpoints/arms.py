"""Which arm of a canary a business key falls into. Pure: the same key is in the same arm wherever it is asked.

The place of a key is a number of 10,000, made of the salt of the canary and the key alone. An arm
is all places below its share, so a share that grows only adds keys (Unleash yggdrasil#345: asked
twice, 20 % became 4 %).
"""

from typing import Final

from canonical import digests

PLACES: Final = 10_000
_TAG: Final = "canary-place"


def place(salt: str, business_key: str) -> int:
    """Return where the key stands among `PLACES`: from 0, evenly spread over keys."""
    # In hex, since a key may hold what canonical JSON refuses.
    said = [text.encode("utf-8", "surrogatepass").hex() for text in (salt, business_key)]
    # 64 bits: what the remainder favours is less than one key in 10 ** 15.
    return int(digests.tagged(_TAG, said)[:16], 16) % PLACES


def takes(salt: str, business_key: str, *, share: int) -> bool:
    """Whether the canary of this salt takes the key at a share of so many in `PLACES`."""
    return place(salt, business_key) < share
