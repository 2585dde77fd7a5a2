"""The nodes of a report: find the head, take one commit after the other, add them up."""

import hashlib
from collections import Counter
from typing import Any

from agents import gitobjects
from agents.errors import RepositoryUnreadable
from agents.remotes import BRANCH, remote_url, source
from checkpoints.graph import END, Context, State, To

Json = Any

CHAIN = "commits"
FILES_NAMED = 10


def read_head(_state: State, context: Context) -> To:
    """Fix the commit the report is about; everything after it follows from that commit."""
    name = context.input["repository"]
    sha = _present_head(context)
    if sha is None:
        raise RepositoryUnreadable(f"{name} has no branch main (any more)")
    context.saw(source(name), sha)
    return To("walk", {"head": sha, "next": sha, "walked": 0})


def present_head(_source: str, context: Context) -> str | None:
    """The branch as it stands now."""
    return _present_head(context)


def walk(state: State, context: Context) -> To:
    """Take one commit and step to its first parent, down to the root or the limit."""
    remote = remote_url(context.tenant, context.input["repository"])
    commit = gitobjects.commit(remote, state["next"])
    lines = gitobjects.numstat(remote, commit)
    context.append(
        CHAIN,
        {
            "sha": commit.sha,
            "at": commit.at,
            "author": author_mark(context.tenant, commit.author),
            "files": [line.path for line in lines],
            "insertions": sum(line.insertions for line in lines),
            "deletions": sum(line.deletions for line in lines),
        },
    )
    walked = state["walked"] + 1
    done = not commit.parent or walked >= context.input["limit"]
    onward = state | {"next": commit.parent or commit.sha, "walked": walked}
    return To("summarise" if done else "walk", onward)


def summarise(state: State, context: Context) -> To:
    """Add the commits up."""
    commits = context.items(CHAIN)
    files = Counter(path for commit in commits for path in commit["files"])
    authors = Counter(commit["author"] for commit in commits)
    summary = {
        "commits": len(commits),
        "first_at": min(commit["at"] for commit in commits),
        "last_at": max(commit["at"] for commit in commits),
        "insertions": sum(commit["insertions"] for commit in commits),
        "deletions": sum(commit["deletions"] for commit in commits),
        "authors": [[mark, count] for mark, count in _ranked(authors)],
        "files": len(files),
        "most_changed": [[path, count] for path, count in _ranked(files)[:FILES_NAMED]],
    }
    return To(END, state | {"summary": summary})


def author_mark(tenant: str, address: str) -> str:
    """Tells authors apart without naming them; the same person differs between tenants."""
    return hashlib.sha256(f"{tenant}\0{address.lower()}".encode()).hexdigest()[:12]


def _present_head(context: Context) -> str | None:
    return gitobjects.head(remote_url(context.tenant, context.input["repository"]), BRANCH)


def _ranked(counts: "Counter[str]") -> list[tuple[str, int]]:
    """Most first, then by name: the same order for the same counts."""
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))
