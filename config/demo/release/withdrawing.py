"""The last chapters: the plan that the machine opened is started, and every effect is signed off."""

from typing import Final

from django.utils.translation import gettext as _

from config.demo.people import OPERATOR, OWNER
from config.demo.release import answering, stage
from config.demo.release.chapters import PUSH
from config.demo.release.story import Story
from releases.rollbacks import ordering, phases, signing
from releases.rollbacks.models import OutstandingEffect, Rollback

READ_ALREADY: Final = "Its mail was read; the revert says what became of it."
TAKE_BACK: Final = "It claims tests that nobody ran."


def rolls_back(story: Story) -> None:
    """People start the plan that was waiting for them; two, where the plan asks for two."""
    story.until(lambda: _open(story) is not None, _("the plan of the rollback"))
    plan = _plan(story)
    if plan.started_at is not None:
        return
    story.chapter(_("The machine opened a plan to roll back. A person reads it, and starts it."))
    story.page("rollback", plan.number)
    if plan.needs_second:
        ordering.second(plan.pk, plan.digest, user=stage.account(stage.SECOND))
    ordering.start(plan.pk, plan.digest, user=stage.account(OWNER))


def signs_off(story: Story) -> None:
    """Each push that happened is taken back by a commit that reverts it, each mail is let stand."""
    plan = _plan(story)
    story.chapter(_("It closes only when each of its effects is signed off."))
    story.page("rollback_board", plan.number)
    taken_back: set[int] = set()

    def closed() -> bool:
        _sign_off(plan, taken_back)
        answering.answer(story.tenant, stage.account(OPERATOR), lambda _asked: True)
        plan.refresh_from_db()
        return bool(plan.ended == phases.CLOSED)

    story.until(closed, _("the board to be empty"))
    story.chapter(
        _("Closed: %(n)d pushes were taken back, and nothing of it is open.")
        % {"n": len(taken_back)}
    )


def _sign_off(plan: Rollback, taken_back: set[int]) -> None:
    if plan.phase not in phases.ON_THE_BOARD:
        return
    owner = stage.account(OWNER)
    found = OutstandingEffect.objects.filter(rollback=plan, signed_off="", state=phases.HAPPENED)
    for effect in found.select_related("action"):
        if effect.action.tool != PUSH:
            signing.accept(plan.pk, [effect.pk], reason=READ_ALREADY, user=owner)
        elif effect.pk not in taken_back:
            signing.compensate(plan.pk, effect.pk, why=TAKE_BACK, user=owner)
            taken_back.add(effect.pk)


def _open(story: Story) -> Rollback | None:
    return Rollback.objects.filter(release=story.at, ended="").first()


def _plan(story: Story) -> Rollback:
    return Rollback.objects.filter(release=story.at).latest("number")
