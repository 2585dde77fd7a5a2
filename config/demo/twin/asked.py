"""What was asked of the world: one small file for each effect, written when the twin is asked too."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from django.conf import settings

PUSH, MAIL = "push", "mail"
# A page reads so many of them and says when there are more.
MOST = 500


@dataclass(frozen=True, order=True)
class Asked:
    """One effect asked of Kedge and, the same, of the twin.

    `what` is the name of the repository or the address of the recipient.
    """

    tenant: str
    business_key: str
    kind: str
    what: str
    run: str
    action: str


def folder() -> Path:
    """Where the twin keeps what it needs, under the data folder."""
    return Path(settings.VAR_DIR) / "twin"


def plug_of(action_id: str) -> Path:
    """The file whose presence ends the twin's job for this action, right after its effect."""
    return folder() / "plugs" / action_id


def note(asked: Asked) -> None:
    """Keep it, whole or not at all."""
    place = _file(asked.action)
    place.parent.mkdir(parents=True, exist_ok=True)
    draft = place.with_suffix(".draft")
    draft.write_text(json.dumps(asdict(asked)))
    draft.rename(place)


def is_noted(action_id: str) -> bool:
    """Whether the twin was asked for this action."""
    return _file(action_id).exists()


def noted() -> list[Asked]:
    """What was asked, by tenant and business key; at most MOST."""
    files = sorted((folder() / "asked").glob("*.json"))[:MOST]
    return sorted(Asked(**json.loads(file.read_text())) for file in files)


def _file(action_id: str) -> Path:
    return folder() / "asked" / f"{action_id}.json"
