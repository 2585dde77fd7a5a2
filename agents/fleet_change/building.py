"""The node that fixes the bytes of the commit, so that every attempt pushes the same one."""

from datetime import UTC, datetime

from agents.fleet_change import log
from agents.fleet_change.message import commit_message
from agents.fleet_change.proposing import SENDER
from agents.remotes import remote_url
from agents.tools.git.building import build_commit
from checkpoints.graph import Context, State, To

AUTHOR = f"Fleet Change <{SENDER}>"


def build(state: State, context: Context) -> To:
    """Build commit and pack from what was kept. Dated like the commit it sits on, by no clock."""
    changed = log.changed_files(context.items(log.CHAIN))
    built = build_commit(
        remote_url(context.tenant, context.input["repository"]),
        state["head"],
        {line["path"]: context.get(line["content"]) for line in changed},
        message=commit_message(state, context.input),
        author=AUTHOR,
        at=datetime.fromtimestamp(state["at"], UTC),
    )
    fixed = {"commit": built.commit, "change": built.change, "pack": context.put(built.pack)}
    return To("push", state | fixed)
