"""How a person wants to be told, as they fill it in."""

from typing import Any
from zoneinfo import available_timezones

from django import forms
from django.utils.translation import gettext_lazy as _

from tenants.notifications import webhooks
from tenants.notifications.models import NotificationChoice

DIGESTS = [
    ("at_once", _("At once, each by itself")),
    ("hourly", _("Together, each full hour")),
    ("daily", _("Together, each morning at eight")),
]


class ChoiceForm(forms.Form):
    """Channels, digest and quiet hours. An empty webhook leaves the one that is there."""

    by_mail = forms.BooleanField(label=_("By mail"), required=False)
    webhook_url = forms.CharField(
        label=_("Webhook of a chat channel (Slack, Teams)"),
        help_text=_(
            "A secret: whoever knows it can write into your channel. It is not shown again."
        ),
        max_length=webhooks.LONGEST_URL,
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    forget_webhook = forms.BooleanField(label=_("Take the webhook away"), required=False)
    digest = forms.ChoiceField(label=_("When"), choices=DIGESTS)
    quiet_from = forms.TimeField(
        label=_("Quiet from"), required=False, widget=forms.TimeInput(attrs={"type": "time"})
    )
    quiet_until = forms.TimeField(
        label=_("Quiet until"), required=False, widget=forms.TimeInput(attrs={"type": "time"})
    )
    zone = forms.ChoiceField(label=_("Time zone"), choices=())

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        zones = sorted(available_timezones() | {"UTC"})
        self.fields["zone"] = forms.ChoiceField(
            label=_("Time zone"),
            help_text=_("Of the morning and the quiet hours."),
            choices=[(zone, zone) for zone in zones],
        )

    def clean_webhook_url(self) -> str:
        """An address that messages may go to, "" for none."""
        url = str(self.cleaned_data["webhook_url"]).strip()
        if url:
            try:
                webhooks.allowed(url)
            except webhooks.WebhookRefused as error:
                raise forms.ValidationError(str(error)) from error
        return url

    def clean(self) -> dict[str, Any]:
        """Quiet hours have both ends, or none."""
        given: dict[str, Any] = super().clean() or {}
        if (given.get("quiet_from") is None) != (given.get("quiet_until") is None):
            self.add_error("quiet_until", _("Say when quiet hours begin and when they end."))
        return given


def filled(choice: NotificationChoice) -> ChoiceForm:
    """The form as the person left it; the webhook stays a secret."""
    names = ("by_mail", "digest", "quiet_from", "quiet_until", "zone")
    return ChoiceForm(initial={name: getattr(choice, name) for name in names})
