"""The node that works through the repository: one file each time it runs."""

from typing import cast

from agents import gitobjects
from agents.fleet_change import changes, log
from agents.remotes import remote_url
from canonical import json as canonical
from checkpoints.graph import END, Context, Json, State, To


def change_file(state: State, context: Context) -> To:
    """Change the next file and write a line about it into the log.

    Reads bytes by their SHA, so it is a function of state and input, and may run again.
    """
    listed = cast("list[list[str]]", canonical.loads(context.get(state["files"])))
    path, blob = listed[state["position"]]
    before = gitobjects.blob(remote_url(context.tenant, context.input["repository"]), blob)
    after = changes.change(context.input["rule"], path, before)
    changed = after.content != before
    line: dict[str, Json] = {"path": path, "blob": blob}
    if after.note:
        line["note"] = after.note
    if changed:
        line["content"] = context.put(after.content)
        line["insertions"], line["deletions"] = after.insertions, after.deletions
    context.append(log.CHAIN, line)
    return _onward(
        state
        | {
            "position": state["position"] + 1,
            "changed": state["changed"] + int(changed),
            "insertions": state["insertions"] + after.insertions,
            "deletions": state["deletions"] + after.deletions,
        }
    )


def _onward(state: State) -> To:
    if state["position"] < state["total"]:
        return To("change_file", state)
    return To("write_message" if state["changed"] else END, state)
