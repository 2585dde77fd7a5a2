"""The card: one address, one way in, a few things to try, and what really arrived."""

import json
import time
from collections.abc import Callable
from pathlib import Path

from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext as _

from config.demo import people, things, unknown
from config.demo.things import Things
from tenants.actors import Actor
from tenants.signin.links import LIFETIME, make_link

LONGEST_WAIT_SECONDS = 60.0
LOOK_EVERY_SECONDS = 0.25
TELL_EVERY_SECONDS = 5.0
WIDTH = 78

Say = Callable[[str], None]


def wait(say: Say, *, seconds: float = LONGEST_WAIT_SECONDS) -> None:
    """Until a push waits for a yes and the unknown mail is there, or the time is over."""
    end, told = time.monotonic() + seconds, time.monotonic()
    while missing := _missing():
        if time.monotonic() > end:
            return
        if time.monotonic() - told > TELL_EVERY_SECONDS:
            told = time.monotonic()
            say(_("Waiting for %(what)s") % {"what": "; ".join(missing)})
        time.sleep(LOOK_EVERY_SECONDS)


def text() -> str:
    """The card, with a fresh sign-in link. Raises `LookupError` when the demo was not made."""
    operator = people.user_of(people.OPERATOR)
    if operator is None:
        raise LookupError("no operator")
    base = f"http://127.0.0.1:{port()}"
    token = make_link(operator, actor=Actor.machine("demo card"))
    minutes = int(LIFETIME.total_seconds() // 60)
    there = things.now()
    parts = [
        _("Kedge is ready: %(url)s") % {"url": f"{base}/"},
        "",
        _("Sign in as %(name)s, the operator (good once, for %(minutes)d minutes):")
        % {"name": operator.name, "minutes": minutes},
        f"   {base}{reverse('sign_in_link', args=[token])}",
        "",
        *_push(there, base),
        *_plug(base),
        *_unknown(there, base),
        *_refunds(there, base),
        "",
        _("Outside world: what really arrived, beside the same jobs with plain retries"),
        f"   {base}{reverse('outside_world')}",
        "",
        _("`make demo` shows this card again, with a fresh link. Ctrl-C where it was started"),
        _("stops everything; the data stay."),
    ]
    line = "─" * WIDTH
    return "\n".join([line, *(f"  {part}".rstrip() for part in parts), line])


def port() -> int:
    """The port of the instance that runs from this folder, else the one that is configured."""
    try:
        held = json.loads((Path(settings.VAR_DIR) / "instance.lock").read_text())
        return int(held["port"])
    except (OSError, ValueError, KeyError, TypeError):
        return int(settings.PORT)


def _missing() -> list[str]:
    missing = [unknown.still_to_come()]
    if not things.open_pushes():
        missing.append(_first_push())
    return [each for each in missing if each]


def _first_push() -> str:
    run = things.first_working()
    if run is None:
        return ""
    return _("the push of %(key)s: its run is at step %(head)d") % {
        "key": run.business_key,
        "head": run.head,
    }


def _push(there: Things, base: str) -> list[str]:
    if there.push is None:
        waits = _first_push() or _("nothing: every push is decided")
        return [_("1  No push waits for a yes now; it waits for %(what)s") % {"what": waits}]
    files = int(there.push.magnitude["files"])
    where = reverse("approvals:request", args=[there.push.tenant.slug, there.push.pk])
    return [_("1  A push to %(n)d files waits for your yes") % {"n": files}, f"   {base}{where}"]


def _plug(base: str) -> list[str]:
    return [_("2  Pull the plug on a run that works"), f"   {base}{reverse('demo')}"]


def _unknown(there: Things, base: str) -> list[str]:
    title = _("3  Did this mail go out? Nobody knows")
    if there.unknown is None:
        if there.decided is not None:
            return [_("3  The mail of which nobody knew is decided")]
        return [title, "   " + _("It is not there yet; `make demo` shows when it is")]
    where = reverse("reconciliation:case", args=[there.unknown.tenant.slug, there.unknown.pk])
    return [
        title,
        f"   {base}{where}",
        "   " + _("So that you find it at once, the demo itself said yes to this run's push and")
        + "\n     " + _("mail, as %(name)s; everything after that happened by itself.")
        % {"name": people.APPROVER.name},
    ]  # fmt: skip


def _refunds(there: Things, base: str) -> list[str]:
    if settings.DESK is None:
        absent = _(
            "4  No refund desk here: its tracker and store are not installed, or switched off"
        )
        return [absent]
    if not there.refunds:
        return [_("4  The refund desk works; none of its effects waits for a yes now")]
    first = there.refunds[0]
    where = reverse("approvals:request", args=[first.tenant.slug, first.pk])
    title = _("4  Customers wait for their money; what it takes depends on how much")
    return [title, f"   {base}{where}"]
