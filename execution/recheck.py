"""Before a run goes on: is the world still as it was read? A check that raises holds the run."""

from dataclasses import replace

from django.db import Error as DatabaseFault
from django.db.models import Q

from canonical.redaction import ours
from checkpoints import events, reading, rungs, states
from checkpoints.cases import Trouble
from checkpoints.graph import Node
from checkpoints.headers import parent_seq
from checkpoints.models import Run
from checkpoints.reading import Loaded
from checkpoints.registry import agents
from execution import shadowing
from execution.context import visible
from execution.errors import Hold
from execution.work import WORKER, Work
from reconciliation import ledger
from reconciliation.behind import enlisting, settling
from reconciliation.credentials import keeping as credentials
from reconciliation.models import Attempt
from reconciliation.tools import CredentialInvalid
from tenants.keys import hiding


def recheck(work: Work) -> None:
    """Nothing of it is lost and open, credentials work, what was read is as its node declares."""
    if shadowing.has_seen(work.run):
        return
    _refuse_if_lost(work.run)
    _check_credentials(work)
    saw = work.loaded.header.get("saw", {})
    for source, (version, reader) in sorted(saw.items()):
        node = work.graph.nodes.get(reader)
        if node is None or node.recheck is None:
            continue
        now = _present_version(work, node, source)
        if now != version and _moved(work, node, (source, version, now)):
            return


def _refuse_if_lost(run: Run) -> None:
    """One effect that the record lacked is settled, the next is not: proposed anew it would be two."""
    line = settling.lost_of(run.pk)
    if line is not None:
        raise Hold(enlisting.trouble(line, None))


def _check_credentials(work: Work) -> None:
    every = agents().TOOLS
    named = [name for name in work.graph.manifest.tools if name in every]
    # Below that rung the tool is not called at all, not for its credential either.
    stands = rungs.all_of(work.run.tenant_id, work.run.combo_id, named)
    tools = {name: every[name] for name in named if rungs.reaches(stands[name], rungs.READ)}
    try:
        credentials.check_before_going_on(work.run.tenant, tools)
    except CredentialInvalid as error:
        facts = {"error": ours("credential"), "tool": hiding.text(error.tool)}
        facts["said"] = hiding.text(str(error)).first(500)
        sentence = hiding.text(str(error))
        raise Hold(Trouble(states.CREDENTIAL_INVALID, sentence, facts)) from error
    except DatabaseFault:
        raise
    except Exception as error:
        said = str(hiding.text(f"{type(error).__name__}: {error}").first(500))
        facts = hiding.texts(error=said)
        sentence = hiding.text(
            f"It cannot be checked whether a credential works ({said}), so it does not go on."
        )
        raise Hold(Trouble(states.CREDENTIAL_INVALID, sentence, facts)) from error


def _present_version(work: Work, node: Node, source: str) -> str | None:
    assert node.recheck is not None  # noqa: S101 - the caller looked
    try:
        return node.recheck.current(source, work.context())
    except DatabaseFault:
        raise
    except Exception as error:
        said = f"{type(error).__name__}: {error}"
        sentence = hiding.text(f"{source} cannot be checked ({said}), so the run does not go on.")
        facts = {"error": hiding.text(said).first(500)}
        raise Hold(Trouble(states.WORLD_CHANGED, sentence, facts)) from error


def _moved(work: Work, node: Node, what: tuple[str, str, str | None]) -> bool:
    """Do what the node declares; True when the run went back and the other sources with it."""
    source, was, now = what
    then, here = hiding.text(was).first(12), hiding.text(now or "gone").first(12)
    said = f"{source} was {then} when it was read and is {here} now"
    told = hiding.texts(source=source, was=was, now=now or "")
    assert node.recheck is not None  # noqa: S101 - the caller looked
    if node.recheck.if_moved == "note" or _has_acted(work.run):
        events.append(work.run.id, "world moved", WORKER, **told)
        return False
    if (
        node.recheck.if_moved == "reread"
        and now is not None
        and not _read_before_fork(work, source)
    ):
        _read_again(work, node, _before_the_read(work, source, was), said)
        return True
    facts = {"error": ours("moved"), **told}
    raise Hold(Trouble(states.WORLD_CHANGED, hiding.text(f"{said}."), facts))


def _has_acted(run: Run) -> bool:
    """Whether anything of this run's lineage has reached the world, or may have."""
    forks = Q(action__run__effect_scope=run.effect_scope, action__run__forked_from__isnull=False)
    return ledger.in_world(run.effect_scope) or Attempt.objects.filter(forks).exists()


def _read_before_fork(work: Work, source: str) -> bool:
    """What was read before the fork cannot be read again here: another run has that checkpoint."""
    run = work.run
    return run.forked_from_id is not None and source in reading.load(run, 1).header.get("saw", {})


def _before_the_read(work: Work, source: str, version: str) -> Loaded:
    """The last ancestor that had not seen this version: one node may read many sources."""
    at = reading.load(work.run, work.lease.head)
    while at.header.get("saw", {}).get(source, [""])[0] == version:
        at = reading.load(work.run, parent_seq(at.header))
    return work.opened(at)


def _read_again(work: Work, node: Node, back: Loaded, said: str) -> None:
    """Go back to before the read, in a new checkpoint. Nothing has reached the world since."""
    action = ledger.open_action(work.run.id)
    if action is not None:
        ledger.give_up_proposal(action, reason=hiding.text(said))
    # The count of proposals goes on: what is proposed after the new read is a new effect.
    proposals = work.loaded.header.get("proposals", {})
    before = replace(back.ancestry(work.run), proposals=proposals)
    work.loaded = back
    context = work.context()
    context.node = "(read again)"
    step = work.step(context, visible(back.state), node.name)
    schema = int(back.header.get("schema", work.graph.state_schema))
    work.commit_after(before, replace(step, schema=schema))
    events.append(
        work.run.id, "read again", WORKER, why=hiding.text(said), node=hiding.text(node.name)
    )
