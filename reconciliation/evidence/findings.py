"""What a reader of evidence learns: what is proven, what is not, and what is wrong. Pure."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Fault:
    """One thing wrong: the member (a JSON pointer) and a sentence."""

    member: str
    sentence: str


@dataclass
class Findings:
    """Sentences for a reader who has nothing but the file and a public key."""

    proven: list[str] = field(default_factory=list)
    open: list[str] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)

    @property
    def holds(self) -> bool:
        """True when nothing is wrong; what is `open` is merely not proven by this file."""
        return not self.faults

    def wrong(self, member: str, sentence: str) -> None:
        self.faults.append(Fault(member, sentence))

    def equal(self, member: str, found: object, expected: object, *, what: str) -> bool:
        """Note a fault unless both are the same; returns whether they are."""
        if found == expected:
            return True
        self.wrong(member, f"{what}: this says {found!r}, and it must be {expected!r}.")
        return False
