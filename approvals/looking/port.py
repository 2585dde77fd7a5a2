"""What this installation must bring to look a second time: `SECOND_LOOK` of the module KEDGE_AGENTS.

Nothing here knows a model. An installation without one, or whose model is not configured, asks nobody.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from checkpoints import registry

Json = Any


@dataclass(frozen=True)
class Answered:
    """What a model said, checked against the form that was asked for, and what it cost in tokens."""

    value: Mapping[str, Json]
    prompt_tokens: int = 0
    completion_tokens: int = 0


class NoUsableAnswerError(Exception):
    """The model answered, but not in the form that was asked for. It is paid all the same."""

    def __init__(self, said: str, *, prompt_tokens: int = 0, completion_tokens: int = 0) -> None:
        super().__init__(said)
        self.prompt_tokens = prompt_tokens
        self.completion_tokens = completion_tokens


class NotAnsweredError(Exception):
    """The model could not be asked, or did not answer."""


class Looker(Protocol):
    """Who asks the model. `prompt_digest` names the words it is asked with."""

    @property
    def prompt_digest(self) -> str:
        """Digest of the prompt and of the form of the answer, 64 hex digits."""

    def model(self) -> str:
        """Which model would answer, for the record; "" when none is configured."""

    def ask(self, content: str, schema: Mapping[str, Json]) -> Answered:
        """Ask once about this content. Raises `NoUsableAnswerError` and `NotAnsweredError`."""


def looker() -> Looker | None:
    """Who looks here; None when this installation has nobody, or its model is not configured."""
    found: Looker | None = getattr(registry.agents(), "SECOND_LOOK", None)
    return found if found is not None and found.model() else None
