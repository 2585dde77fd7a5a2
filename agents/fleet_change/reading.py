"""The first node: which commit the run works on, and which files that commit has."""

from agents import gitobjects
from agents.errors import RepositoryUnreadable
from agents.fleet_change import log
from agents.fleet_change.message import trailer
from agents.remotes import BRANCH, remote_url, source
from canonical import json as canonical
from checkpoints.graph import END, Context, State, To


def read_head(_state: State, context: Context) -> To:
    """Fix the commit, its date and its list of Python files for the rest of the run.

    Everything after it is a function of that commit, so nothing later looks at a clock. Started
    over when the branch has moved, it forgets what was worked out for the older commit.
    """
    name = context.input["repository"]
    remote = remote_url(context.tenant, name)
    sha = gitobjects.head(remote, BRANCH)
    if sha is None:
        raise RepositoryUnreadable(f"{name} has no branch main (any more)")
    context.saw(source(name), sha)
    found = [[file.path, file.blob] for file in gitobjects.files(remote, sha, ".py")]
    context.append(log.CHAIN, log.reading(sha, len(found)))
    begun: State = {
        "head": sha,
        "at": gitobjects.commit(remote, sha).at,
        "files": context.put(canonical.dumps(found)),
        "total": len(found),
        "position": 0,
        "changed": 0,
        "insertions": 0,
        "deletions": 0,
    }
    return To("change_file" if found else END, begun)


def present_head(_source: str, context: Context) -> str | None:
    """The branch as it stands, leaving out this run's own push.

    A run that was killed after its push was sent finds its own commit at the head of the branch.
    That is no change of the world: it still is what the run did to the commit it read.
    """
    remote = remote_url(context.tenant, context.input["repository"])
    sha = gitobjects.head(remote, BRANCH)
    read = log.last_reading(context.items(log.CHAIN))
    if sha is None or read is None or sha == read["read"]:
        return sha
    ours = gitobjects.has_commit_with_line(
        remote, trailer(context.input), after=read["read"], until=sha
    )
    return read["read"] if ours else sha
