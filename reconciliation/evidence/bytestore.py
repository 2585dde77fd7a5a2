"""The payloads of a piece of evidence, each once, by the digest that other members name it with."""

import base64
from dataclasses import dataclass, field

from canonical import digests


@dataclass
class Bytes:
    """`whole` False: for a reader without the right to read payloads; digests only."""

    whole: bool
    contents: dict[str, str | None] = field(default_factory=dict)

    def of(self, content: bytes | memoryview, digest: str = "", *, secret: bool = True) -> str:
        """Keep some bytes; returns the digest to name them with, the recorded one where there is.

        Bytes that are not what the record says they are go in as they are: the reader finds it.
        """
        raw = bytes(content)
        digest = digest or digests.sha256_hex(raw)
        readable = self.whole or not secret
        self.contents[digest] = base64.b64encode(raw).decode() if readable else None
        return digest
