"""The pages of signing in are exactly these; nothing else of allauth is mounted."""

import importlib

import pytest
from django.test import Client
from django.urls import NoReverseMatch, URLPattern, URLResolver, clear_url_caches, reverse
from pytest_django import Settings

from tenants import urls

ALWAYS = {
    "account_login": "sign-in/",
    "mfa_authenticate": "sign-in/second-factor/",
    "mfa_login_webauthn": "sign-in/passkey/",
    "sign_in_link": "sign-in/link/<str:token>/",
    "sign_in_again": "sign-in/again/",
    "account_logout": "sign-out/",
    "account_reauthenticate": "confirm/",
    "mfa_reauthenticate": "confirm/code/",
    "mfa_reauthenticate_webauthn": "confirm/passkey/",
    "mfa_index": "me/sign-in/",
    "account_change_password": "me/sign-in/password/",
    "mfa_activate_totp": "me/sign-in/app/",
    "mfa_deactivate_totp": "me/sign-in/app/removal/",
    "mfa_view_recovery_codes": "me/sign-in/codes/",
    "mfa_download_recovery_codes": "me/sign-in/codes/file/",
    "mfa_generate_recovery_codes": "me/sign-in/codes/new/",
    "mfa_list_webauthn": "me/sign-in/passkeys/",
    "mfa_add_webauthn": "me/sign-in/passkeys/new/",
    "mfa_remove_webauthn": "me/sign-in/passkeys/<int:pk>/removal/",
    "my_notifications": "me/notifications/",
}
WITH_A_PROVIDER = {
    "openid_connect_login": "sign-in/provider/<str:provider_id>/",
    "openid_connect_callback": "sign-in/provider/<str:provider_id>/back/",
    "socialaccount_login_cancelled": "sign-in/provider-cancelled/",
    "socialaccount_login_error": "sign-in/provider-failed/",
}
# Asked for without a sign-in; every other page sends a stranger away.
OPEN = {"account_login", "mfa_authenticate", "mfa_login_webauthn", "account_logout"}


def routes(patterns: list[URLPattern | URLResolver], before: str = "") -> dict[str, str]:
    found: dict[str, str] = {}
    for entry in patterns:
        if isinstance(entry, URLResolver):
            found |= routes(entry.url_patterns, before + str(entry.pattern))
        else:
            found[entry.name or ""] = before + str(entry.pattern)
    return found


def test_only_the_pages_that_are_needed_are_mounted() -> None:
    assert routes(urls.urlpatterns) == ALWAYS


@pytest.mark.parametrize(
    "name", ["account_signup", "account_reset_password", "account_email", "account_set_password"]
)
def test_signing_up_and_mailing_oneself_in_do_not_exist(name: str) -> None:
    with pytest.raises(NoReverseMatch):
        reverse(name)


def test_a_provider_adds_its_four_pages(settings: Settings) -> None:
    try:
        settings.SOCIALACCOUNT_PROVIDERS = {"openid_connect": {"APPS": []}}
        assert routes(importlib.reload(urls).urlpatterns) == ALWAYS | WITH_A_PROVIDER
    finally:
        settings.SOCIALACCOUNT_PROVIDERS = {}
        importlib.reload(urls)
        clear_url_caches()


@pytest.mark.django_db
@pytest.mark.parametrize("name", sorted(set(ALWAYS) - OPEN - {"sign_in_link"}))
def test_a_stranger_is_sent_to_sign_in(client: Client, name: str) -> None:
    args = [1] if "<int:pk>" in ALWAYS[name] else []
    answer = client.get(reverse(name, args=args))
    assert (answer.status_code, answer.headers["Location"].split("?")[0]) == (302, "/sign-in/")
