"""Who did something: a signed-in person, one of our own processes, or somebody unknown."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, Literal

from canonical.redaction import Fact
from tenants.errors import NotAPerson
from tenants.keys import hiding
from tenants.models import User

# What the columns that keep an actor's name hold; an e-mail address can be longer.
LONGEST_NAME = 200
MOST_AGE: Final = timedelta(minutes=10)
BY_COMMAND: Final = "command"
# How far the clocks of web and database may differ; a proof from later than that is none.
SKEW: Final = timedelta(seconds=30)


@dataclass(frozen=True)
class Proof:
    """One time a person showed that it is them. `method` is "password", "app", "passkey",
    "recovery_code", on a demo installation "link", or "command": their password typed into a
    command of this machine. `at` is the time of the process that saw it."""

    method: str
    at: datetime

    def is_fresh(self, now: datetime) -> bool:
        """True if it is not older than ten minutes at `now`, and not from the future."""
        return now - MOST_AGE <= self.at <= now + SKEW


@dataclass(frozen=True)
class Actor:
    """The author of a decision, an intent or a refused attempt, as the record keeps it.

    `id` is stable and unique within `kind`: the number of a person, the name of a machine
    ("sweeper", "worker-1"), the address of a stranger. `name` is what pages show.
    """

    kind: Literal["person", "machine", "stranger"]
    id: str
    user_id: int | None
    name: str
    proof: Proof | None = None

    @classmethod
    def person(cls, user: User, proof: Proof | None = None) -> "Actor":
        """A saved, signed-in person, and how they last showed that it is them, where that is asked.

        Raises `NotAPerson` for a service user, whoever asks.
        """
        if user.pk is None:
            raise ValueError("Only a saved person can act.")
        if user.kind != User.Kind.PERSON:
            raise NotAPerson
        return cls("person", str(user.pk), user.pk, str(user)[:LONGEST_NAME], proof)

    @classmethod
    def machine(cls, name: str) -> "Actor":
        """One of our own processes or commands."""
        return cls("machine", name, None, name)

    @classmethod
    def stranger(cls, address: str) -> "Actor":
        """Somebody who is not signed in, known only by the address they called from."""
        return cls("stranger", address, None, address)

    def is_proved(self, now: datetime) -> bool:
        """True if it showed that it is them in the ten minutes before `now`, the database's time."""
        return self.proof is not None and self.proof.is_fresh(now)

    def proof_columns(self) -> dict[str, Any]:
        """The proof as a row keeps it, whether or not it was needed; {} without one."""
        if self.proof is None:
            return {}
        return {"proved_by": self.proof.method, "proved_at": self.proof.at}

    def proof_told(self) -> dict[str, Fact]:
        """The proof as the audit trail keeps it; {} without one."""
        if self.proof is None:
            return {}
        return {"proved_by": hiding.text(self.proof.method), "proved_at": self.proof.at}
