"""Who did something: a signed-in person, one of our own processes, or somebody unknown."""

from dataclasses import dataclass
from typing import Literal

from tenants.errors import NotAPerson
from tenants.models import User

# What the columns that keep an actor's name hold; an e-mail address can be longer.
LONGEST_NAME = 200


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

    @classmethod
    def person(cls, user: User) -> "Actor":
        """A saved, signed-in person. Raises `NotAPerson` for a service user, whoever asks."""
        if user.pk is None:
            raise ValueError("Only a saved person can act.")
        if user.kind != User.Kind.PERSON:
            raise NotAPerson
        return cls("person", str(user.pk), user.pk, str(user)[:LONGEST_NAME])

    @classmethod
    def machine(cls, name: str) -> "Actor":
        """One of our own processes or commands."""
        return cls("machine", name, None, name)

    @classmethod
    def stranger(cls, address: str) -> "Actor":
        """Somebody who is not signed in, known only by the address they called from."""
        return cls("stranger", address, None, address)
