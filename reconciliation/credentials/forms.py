"""What a person posts about a credential: whose it is, where it is kept, until when it is good."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from checkpoints.registry import agents
from reconciliation.credentials.keeping import MANAGE, Noted
from tenants import access
from tenants.models import Tenant, User


class CredentialForm(forms.Form):
    """A reference to one tool's credential. There is no field for the secret itself."""

    tool = forms.ChoiceField(label=_("Tool"))
    acting_identity = forms.CharField(
        label=_("Acts as"), max_length=200, help_text=_("Who the other side takes Kedge for.")
    )
    kept_at = forms.RegexField(
        r"^(env:[A-Za-z_][A-Za-z0-9_]*|file:/\S+|vault:\S+)$",
        label=_("Kept at"),
        max_length=300,
        help_text=_(
            "Where the secret is, as env:NAME, file:/path or vault:path; never what it is."
        ),
        error_messages={"invalid": _("Say where it is kept: env:NAME, file:/path or vault:path.")},
    )
    version = forms.CharField(
        label=_("Version"), max_length=100, help_text=_("As the place where it is kept counts.")
    )
    expires_at = forms.DateTimeField(
        label=_("Expires (UTC)"),
        required=False,
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
        input_formats=["%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M", "%Y-%m-%d"],
        help_text=_("The owner is told 14, 3 and 1 days before; after it, runs are held."),
    )
    owner = forms.ModelChoiceField(
        User.objects.none(), label=_("Owner"), help_text=_("Who renews it.")
    )

    def __init__(self, tenant: Tenant, data: Any = None, **options: Any) -> None:
        super().__init__(data, **options)
        tool, owner = self.fields["tool"], self.fields["owner"]
        assert isinstance(tool, forms.ChoiceField)  # noqa: S101 - declared above
        assert isinstance(owner, forms.ModelChoiceField)  # noqa: S101 - declared above
        tool.choices = [(name, name) for name in sorted(agents().TOOLS.by_name)]
        people = access.holders(tenant, MANAGE) + access.holders(tenant, "operate_runs")
        owner.queryset = User.objects.filter(pk__in=[person.pk for person in people]).order_by("pk")

    def noted(self) -> Noted:
        """What was typed; only after `is_valid`."""
        given = self.cleaned_data
        return Noted(
            given["acting_identity"], given["kept_at"], given["version"], given["expires_at"]
        )
