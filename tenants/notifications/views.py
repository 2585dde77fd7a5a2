"""The page on which a person chooses how they are told, and sees what did not reach them."""

from typing import cast
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from tenants.keys.errors import KeysError
from tenants.models import User
from tenants.notifications import choosing
from tenants.notifications.forms import ChoiceForm, filled
from tenants.notifications.models import Notification, NotificationChoice
from tenants.scope import access_of

MOST = 20


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def choose(request: HttpRequest) -> HttpResponse:
    """GET shows what is chosen; POST changes it."""
    person = cast(User, request.user)
    access_of(request)  # so that PostgreSQL shows what was told about their tenants
    choice = choosing.choice_of(person)
    form = ChoiceForm(request.POST) if request.method == "POST" else filled(choice)
    if request.method == "POST" and form.is_valid():
        choosing.choose(person, form.cleaned_data)
        messages.success(request, _("Kept. It holds for what is told from now on."))
        return redirect("my_notifications")
    context = {
        "form": form,
        "person": person,
        "webhook_host": _host(choice),
        "switched_on": settings.KEDGE_NOTIFICATIONS,
        "hosts": settings.KEDGE_WEBHOOK_HOSTS,
        "now": timezone.now(),
        "latest": Notification.objects.filter(person=person).order_by("-pk")[:MOST],
    }
    status = 422 if request.method == "POST" else 200
    return render(request, "tenants/notifications.html", context, status=status)


def _host(choice: NotificationChoice) -> str:
    """Where the webhook leads, without the secret of it; "" for none."""
    try:
        return urlsplit(choosing.webhook_of(choice)).hostname or ""
    except KeysError:
        # It can still be taken away or replaced; what is wrong stands with what was not sent.
        return _("an address that cannot be read now")
