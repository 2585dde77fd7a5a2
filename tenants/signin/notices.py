"""Tells a person by mail that how they sign in has changed: always and at once, whatever they chose.

The text says what and when and nothing else: no name of a key, no code, no address.
"""

from typing import Final

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tenants.keys import hiding
from tenants.models import AuditRow, User
from tenants.notifications import outbox
from tenants.notifications.outbox import Matter

KIND: Final = "sign_in_changed"
# By the verb in the audit trail.
WHAT: Final[dict[str, str | Promise]] = {
    "change_password": gettext_lazy("The password of your Kedge account was changed"),
    "add_authenticator_app": gettext_lazy("An authenticator app was added to your Kedge account"),
    "remove_authenticator_app": gettext_lazy(
        "The authenticator app was removed from your Kedge account"
    ),
    "add_passkey": gettext_lazy("A passkey was added to your Kedge account"),
    "remove_passkey": gettext_lazy("A passkey was removed from your Kedge account"),
    "make_recovery_codes": gettext_lazy("New recovery codes were made for your Kedge account"),
    "use_recovery_code": gettext_lazy("A recovery code of your Kedge account was used"),
    "link_provider": gettext_lazy(
        "Your Kedge account was linked to an account at your sign-in provider"
    ),
    "take_second_factors_away": gettext_lazy(
        "All second factors of your Kedge account were taken away by who looks after Kedge here"
    ),
}
OTHERWISE: Final = gettext_lazy("How you sign in to Kedge was changed")


def tell(user: User, row: AuditRow) -> int:
    """Tell a person of what this audit row says was changed; in the transaction of the change."""
    said = _(
        "%(what)s at %(at)s UTC. If that was not you, tell who looks after Kedge here at once."
    )
    text = said % {"what": WHAT.get(row.verb, OTHERWISE), "at": f"{row.at:%Y-%m-%d %H:%M}"}
    matter = Matter(KIND, f"sign_in:{row.audit_id}", reverse("mfa_index"), hiding.text(text))
    return outbox.insist(user, matter)
