"""The chapters of a bad release, in their order. Each says what happens and waits until it did."""

from typing import Any, Final

from django.utils.translation import gettext as _

from agents.fleet_change.graph import TASK_TYPE
from approvals.models import ApprovalRequest
from checkpoints import rungs
from config.demo.people import OWNER, SEED
from config.demo.release import stage
from config.demo.release.story import WHY, Story
from reconciliation import states as world
from reconciliation.models import Action
from releases import beginning
from releases.beginning import Candidate
from releases.combos import registering
from releases.gates import standing

VARIANT: Final = "hasty"
PUSH: Final = "git_push"
MAIL: Final = "send_mail"
ROUND: Final = 4
CANARY_RUNS: Final = 24
WAVED_THROUGH: Final = 2
HALF: Final = 5_000
# So few runs as nobody should decide by: a demo takes minutes.
POLICY: Final[dict[str, Any]] = {
    "version": 1,
    "error": 0.2,
    "looks": [6, 8, 10],
    "most_unread": 0.5,
    "ratio_error": 0.001,
    "measures": {"rejection": {"margin": 0.05, "least": 4}},
    "shadows": {"share": 10_000, "share_of_canary": 0, "at_once": 10, "drills": 5_000},
}


def what_runs_now(story: Story) -> None:
    """A first round of what is stable, so that there is something to be better than."""
    story.chapter(_("%(n)d repositories are tidied up by what runs now.") % {"n": ROUND})
    started = story.start(ROUND)
    story.until(lambda: story.all_over(started, _yes), _("the first runs"))


def begins(story: Story) -> None:
    """The candidate is registered, its release begins, and it becomes a shadow."""
    combo, _news = registering.register(TASK_TYPE, VARIANT, actor=SEED)
    wanted = Candidate(combo, WHY, policy=POLICY)
    story.release = beginning.begin(story.tenant, wanted, user=stage.account(OWNER))
    story.chapter(_("A hasty prompt becomes a candidate, in shadow beside the live runs."))
    story.page("release", story.at.number)
    story.move(standing.BEGIN)


def climbs_to_the_dry_run(story: Story) -> None:
    """Shadows at the bottom rung touch no tool; then it may read, then dry-run."""
    story.chapter(_("At the bottom of its ladder its shadows stop at what they propose."))
    story.page("release_ladder", story.at.number)
    started = story.start(ROUND)
    story.until(lambda: story.all_over(started, _yes), _("runs beside the shadows"))
    for rung in (rungs.READ, rungs.DRY_RUN):
        story.climb(PUSH, rung)
        story.climb(MAIL, rung)


def climbs_to_the_top(story: Story) -> None:
    """Shadows at the dry run; some are killed on purpose, and one live push is rejected."""
    story.chapter(_("Its shadows dry-run now. Half of them are killed on the way: a drill."))
    started = story.start(ROUND)
    story.until(
        lambda: story.all_over(started, lambda asked: asked.run_id != started[0]),
        _("runs beside the drills"),
    )
    story.page("shadows", story.at.number)
    story.climb(PUSH, rungs.WRITE)
    story.climb(MAIL, rungs.WRITE)


def becomes_a_canary(story: Story) -> None:
    """Half of the new runs get it. The first of its pushes pass; then somebody reads what they say."""
    story.chapter(_("Canary: half of the new runs get it. Its first pushes are waved through."))
    story.move(standing.WIDEN, HALF)
    started = story.start(CANARY_RUNS)

    def stopped() -> bool:
        story.all_over(started, lambda asked: _waves_through(story, asked))
        story.at.refresh_from_db()
        return bool(story.at.place == standing.STOPPED)

    story.until(stopped, _("its gate"))
    story.chapter(_("Its gate: people reject too much of it. No new run gets it from here on."))
    story.page("release", story.at.number)


def _yes(_asked: ApprovalRequest) -> bool:
    return True


def _waves_through(story: Story, asked: ApprovalRequest) -> bool:
    """What is stable is let through, and so are the candidate's mails and its first pushes."""
    hasty = story.at.candidate_id
    if asked.run.combo_id != hasty or asked.tool != PUSH:
        return True
    pushed = Action.objects.filter(run__combo=hasty, tool=PUSH, mode="live", tenant=story.tenant)
    return pushed.filter(outcome=world.HAPPENED).count() < WAVED_THROUGH
