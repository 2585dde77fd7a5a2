"""Arms the plug of one run: its next effect ends its worker, once; the twin's job ends likewise."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import UUID

from django.conf import settings

from approvals.models import ApprovalRequest
from config.demo.twin import asked

# Sent, and taken by the remote; not yet written down. The worst moment there is.
BOUNDARY = "effect:after"
MOST = 20


@contextmanager
def armed(request: ApprovalRequest) -> Iterator[bool]:
    """Arm the plug of the request's run while the block says yes; False if it was armed before.

    A block that raises has said no: then nothing stays armed.
    """
    mark = _marks() / str(request.run_id)
    mark.parent.mkdir(parents=True, exist_ok=True)
    try:
        # One click more, or a second person: the first one has it.
        mark.touch(exist_ok=False)
    except FileExistsError:
        yield False
        return
    plugs = (plug_of(request.run_id), asked.plug_of(str(request.action_id)))
    try:
        for plug in plugs:
            _put(plug)
        yield True
    except BaseException:
        for made in (*plugs, mark):
            made.unlink(missing_ok=True)
        raise


def plug_of(run_id: UUID) -> Path:
    """The file that workers of the demo look for (KEDGE_PLUGS)."""
    return Path(settings.VAR_DIR) / "plugs" / str(run_id)


def runs() -> list[UUID]:
    """The runs whose plug was ever armed, the newest first."""
    marks = sorted(_marks().glob("*"), key=lambda mark: mark.stat().st_mtime, reverse=True)
    return [UUID(mark.name) for mark in marks[:MOST]]


def _marks() -> Path:
    return asked.folder() / "armed"


def _put(plug: Path) -> None:
    """Whole from the first moment on: a worker may look at any time."""
    plug.parent.mkdir(parents=True, exist_ok=True)
    draft = plug.with_name(f".{plug.name}")
    draft.write_text(BOUNDARY)
    draft.rename(plug)
