"""Reading the branch, building the revert, and the one push it asks for."""

from datetime import UTC, datetime

from agents import gitobjects
from agents.errors import RepositoryUnreadable
from agents.remotes import BRANCH, BRANCH_NAME, remote_url, source
from agents.tools.git.building import revert_commit
from agents.tools.git.tool import GitPush
from checkpoints.graph import END, HAPPENED, Context, Proposal, Result, State, To

PUSH = GitPush.name
PUSH_HANDLES = (HAPPENED,)
AUTHOR = "Fleet Change <fleet-change@kedge.example>"


def read_head(_state: State, context: Context) -> To:
    """Fix the commit to build on, and its date: nothing later looks at a clock."""
    name = context.input["repository"]
    remote = remote_url(context.tenant, name)
    sha = gitobjects.head(remote, BRANCH)
    if sha is None:
        raise RepositoryUnreadable(f"{name} has no branch main (any more)")
    context.saw(source(name), sha)
    return To("build", {"head": sha, "at": gitobjects.commit(remote, sha).at})


def present_head(_source: str, context: Context) -> str | None:
    """The branch as it stands."""
    return gitobjects.head(remote_url(context.tenant, context.input["repository"]), BRANCH)


def build(state: State, context: Context) -> To:
    """Build the commit that takes the change back. A file changed since then needs a person."""
    asked = context.input
    built = revert_commit(
        remote_url(context.tenant, asked["repository"]),
        asked["commit"],
        state["head"],
        message=f"Revert {asked['commit'][:12]}\n\n{asked['why']}\n\nReverts: {asked['commit']}",
        author=AUTHOR,
        at=datetime.fromtimestamp(state["at"], UTC),
    )
    fixed = {"commit": built.commit, "change": built.change, "pack": context.put(built.pack)}
    return To("push", {**state, **fixed})


def propose_push(state: State, context: Context) -> Proposal:
    """A new action, with its own dry run and approval, that compensates for the first push."""
    parameters = {
        "remote": context.input["repository"],
        "branch": BRANCH_NAME,
        "expected": state["head"],
        "commit": state["commit"],
        "change": state["change"],
        "pack": state["pack"],
    }
    return Proposal(PUSH, parameters, compensates=context.input["action_id"])


def absorb_push(state: State, result: Result, context: Context) -> To:
    """The change is taken back."""
    context.saw(source(context.input["repository"]), state["commit"])
    pushed = {"commit": state["commit"], "action_id": result.action_id}
    return To(END, {**state, "pushed": pushed})
