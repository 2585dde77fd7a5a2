"""Tells the bad release from its first chapter to its last."""

from collections.abc import Callable, Sequence

from django.utils.translation import gettext as _

from config.demo.release import chapters, stage, withdrawing
from config.demo.release.story import Say, Story
from releases.errors import ReleaseRefusedError
from releases.models import UNDER_WAY, Release
from releases.rollbacks.models import Rollback

LAST = (withdrawing.rolls_back, withdrawing.signs_off)
CHAPTERS = (
    chapters.what_runs_now,
    chapters.begins,
    chapters.climbs_to_the_dry_run,
    chapters.climbs_to_the_top,
    chapters.becomes_a_canary,
    *LAST,
)


def tell(say: Say) -> Story:
    """Play every chapter at a fresh tenant; of one that was broken off in its rollback, the rest.

    Raises `LookupError` where the demo was not made, `ReleaseRefusedError` while another performance
    is under way, `TooSlowError`.
    """
    played = stage.performances()
    unfinished = Rollback.objects.filter(tenant__in=played, ended="").select_related(
        "release", "tenant"
    )
    for rollback in unfinished[:1]:
        return _played(Story(rollback.tenant, say, rollback.release), LAST)
    under_way = Release.objects.filter(tenant__in=played, place__in=UNDER_WAY).first()
    if under_way is not None:
        said = _("release %(n)d of %(where)s is under way; stop it on its page first")
        raise ReleaseRefusedError(said % {"n": under_way.number, "where": under_way.tenant})
    fresh = played.exclude(pk__in=Release.objects.values("tenant")).count()
    return _played(Story(stage.make(played.count() + 1 - fresh), say), CHAPTERS)


def _played(story: Story, chapters: Sequence[Callable[[Story], None]]) -> Story:
    for chapter in chapters:
        chapter(story)
    return story
