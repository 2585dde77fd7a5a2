"""Getting in, out, and what is one's own. Of allauth's pages only these are reachable, by its names."""

from allauth.account.views import logout, reauthenticate
from allauth.mfa.base.views import authenticate, index
from allauth.mfa.base.views import reauthenticate as confirm_by_code
from allauth.mfa.recovery_codes import views as codes
from allauth.mfa.totp.views import deactivate_totp
from allauth.mfa.webauthn import views as passkeys
from allauth.socialaccount.views import login_cancelled, login_error
from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.urls import URLPattern, URLResolver, include, path
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from tenants.notifications import views as notifications
from tenants.signin import exchange, views

# allauth's form views take a PUT for a POST, and answer to anything before they look at the method.
forms_only = require_http_methods(["GET", "HEAD", "POST"])

getting_in: list[URLPattern | URLResolver] = [
    path("", forms_only(views.SignIn.as_view()), name="account_login"),
    path("second-factor/", forms_only(authenticate), name="mfa_authenticate"),
    path("passkey/", forms_only(passkeys.login_webauthn), name="mfa_login_webauthn"),
    path("link/<str:token>/", views.sign_in_by_link, name="sign_in_link"),
    path("again/", views.sign_in_again, name="sign_in_again"),
]
confirming = [
    path("", never_cache(forms_only(reauthenticate)), name="account_reauthenticate"),
    path("code/", never_cache(forms_only(confirm_by_code)), name="mfa_reauthenticate"),
    path(
        "passkey/",
        never_cache(forms_only(passkeys.reauthenticate_webauthn)),
        name="mfa_reauthenticate_webauthn",
    ),
]
my_sign_in = [
    path("", never_cache(require_safe(index)), name="mfa_index"),
    path("password/", forms_only(views.change_password), name="account_change_password"),
    path("app/", forms_only(views.add_app), name="mfa_activate_totp"),
    path("app/removal/", never_cache(forms_only(deactivate_totp)), name="mfa_deactivate_totp"),
    path("codes/", require_safe(codes.view_recovery_codes), name="mfa_view_recovery_codes"),
    path(
        "codes/file/",
        require_safe(codes.download_recovery_codes),
        name="mfa_download_recovery_codes",
    ),
    path(
        "codes/new/",
        never_cache(forms_only(codes.generate_recovery_codes)),
        name="mfa_generate_recovery_codes",
    ),
    path("passkeys/", never_cache(require_safe(passkeys.list_webauthn)), name="mfa_list_webauthn"),
    path("passkeys/new/", never_cache(forms_only(passkeys.add_webauthn)), name="mfa_add_webauthn"),
    path(
        "passkeys/<int:pk>/removal/",
        never_cache(forms_only(passkeys.remove_webauthn)),
        name="mfa_remove_webauthn",
    ),
]
at_a_provider = [
    path("provider/<str:provider_id>/", exchange.leave, name="openid_connect_login"),
    path("provider/<str:provider_id>/back/", exchange.come_back, name="openid_connect_callback"),
    path("provider-cancelled/", login_cancelled, name="socialaccount_login_cancelled"),
    path("provider-failed/", login_error, name="socialaccount_login_error"),
]
if settings.SOCIALACCOUNT_PROVIDERS:
    getting_in += at_a_provider

urlpatterns = [
    path("sign-in/", include(getting_in)),
    path("sign-out/", login_not_required(forms_only(logout)), name="account_logout"),
    path("confirm/", include(confirming)),
    path("me/sign-in/", include(my_sign_in)),
    path("me/notifications/", notifications.choose, name="my_notifications"),
]
