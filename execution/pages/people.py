"""Who may take the next step, by name."""

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tenants import access
from tenants.models import Tenant, User

MOST_NAMED = 4


def may(tenant: Tenant, permission: str, viewer: User) -> str:
    """Who holds a right at a tenant, as a sentence for this viewer."""
    return told(access.holders(tenant, permission), viewer)


def told(people: Sequence[User], viewer: User) -> str:
    """These people as a sentence, the viewer first, at most `MOST_NAMED` others by name."""
    if not people:
        return _(
            "Nobody may do this at the moment; a person who manages the tenant can change that."
        )
    if len(people) == 1 and people[0].pk == viewer.pk:
        return _("Only you may do this.")
    if len(people) == 1:
        return _("Only %(who)s may do this.") % {"who": people[0]}
    others = [str(user) for user in people if user.pk != viewer.pk]
    names = ([_("You")] if len(others) < len(people) else []) + others[:MOST_NAMED]
    left = len(people) - len(names)
    if left:
        names.append(ngettext("%(n)d other", "%(n)d others", left) % {"n": left})
    return _("%(people)s may do this.") % {"people": _listed(names)}


def _listed(names: Sequence[str]) -> str:
    """Names as a person would say them: "Ada, Dee and Eve"."""
    return _("%(first)s and %(last)s") % {"first": ", ".join(names[:-1]), "last": names[-1]}
