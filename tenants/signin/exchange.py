"""The exchange with a provider of OpenID Connect, stricter than allauth's: nothing it says goes unchecked.

allauth asks for no nonce, takes an ID token that came with the code without looking at its
signature, and believes whatever issuer the discovery names. Here each answer belongs to the question
that this browser asked, and is signed by the very issuer that the environment names.
"""

import secrets
from hmac import compare_digest
from typing import Any, Final

import jwt
from allauth.socialaccount.adapter import get_adapter
from allauth.socialaccount.models import SocialLogin, SocialToken
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from allauth.socialaccount.providers.oauth2.views import OAuth2CallbackView, OAuth2LoginView
from allauth.socialaccount.providers.openid_connect.provider import OpenIDConnectProvider
from allauth.socialaccount.providers.openid_connect.views import OpenIDConnectOAuth2Adapter
from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse

# Signatures that only the provider can make: with a shared secret, or none, anybody could.
SIGNED_BY: Final = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA"]


class NotVouched(OAuth2Error):  # type: ignore[misc]  # allauth has no types
    """The provider's answer is not one to the question that was asked. Nobody was signed in."""


class Exchange(OpenIDConnectOAuth2Adapter):  # type: ignore[misc]
    """Asks the provider, and checks what it answers: issuer, audience, time, signature, nonce."""

    asked: dict[str, Any]

    def complete_login(
        self, request: HttpRequest, app: Any, token: SocialToken, **kwargs: Any
    ) -> SocialLogin:
        """Who it says has come. Raises `OAuth2Error` for an answer that is not to be believed."""
        said = kwargs["response"].get("id_token")
        if not said:
            raise NotVouched("no ID token")
        try:
            claims = self._decode_id_token(app, said)
            if not compare_digest(str(claims.get("nonce", "")), self.asked["nonce"]):
                raise NotVouched("the ID token has another nonce")
            more = self._fetch_user_info(token.token)
            if more["sub"] != claims["sub"]:
                raise NotVouched("the ID token is about somebody else")
        except (KeyError, TypeError, ValueError) as error:
            raise NotVouched("the answer lacks what it needs") from error
        return self.get_provider().sociallogin_from_response(
            request, {"userinfo": more, "id_token": claims}
        )

    def _decode_id_token(self, app: Any, id_token: str) -> dict[str, Any]:
        config, url = self.openid_config, app.settings["server_url"]
        if config["issuer"].rstrip("/") != url.partition("/.well-known/")[0].rstrip("/"):
            raise NotVouched("the provider names another issuer")
        try:
            return jwt.decode(
                id_token,
                self._key(id_token, config["jwks_uri"]),
                algorithms=SIGNED_BY,
                issuer=config["issuer"],
                audience=app.client_id,
                options={"require": ["exp", "iat", "iss", "aud", "sub"]},
            )
        except jwt.PyJWTError as error:
            raise NotVouched(f"the ID token is not good: {type(error).__name__}") from error

    def _key(self, id_token: str, url: str) -> jwt.PyJWK:
        """The one published key it may be signed with; a token need not name it where there is one."""
        named = jwt.get_unverified_header(id_token).get("kid")
        with get_adapter().get_requests_session() as session:
            answer = session.get(url)
            answer.raise_for_status()
        keys = jwt.PyJWKSet.from_dict(answer.json()).keys
        found = [key for key in keys if named is None or key.key_id == named]
        if len(found) != 1:
            raise NotVouched("the ID token is signed with a key that is not published")
        return found[0]


class Provider(OpenIDConnectProvider):  # type: ignore[misc]
    """allauth's provider, which asks with a nonce and lets no address of ours change the question."""

    oauth2_adapter_class = Exchange

    def redirect(
        self,
        request: HttpRequest,
        process: str,
        next_url: str | None = None,
        data: Any = None,
        **_more: Any,
    ) -> HttpResponse:
        """Lead to the provider; the nonce is kept with the state, in the session."""
        nonce = secrets.token_urlsafe(32)
        params = {**self.get_auth_params(), "nonce": nonce}
        answer: HttpResponse = super().redirect(
            request, process, next_url, data, nonce=nonce, auth_params=params
        )
        return answer


class Back(OAuth2CallbackView):  # type: ignore[misc]
    """Back from the provider, with a code for a question of this session."""

    def _get_state(self, request: HttpRequest, provider: Any) -> tuple[Any, Any]:
        state, answer = super()._get_state(request, provider)
        self.adapter.asked = state or {}
        return state, answer


@login_not_required
def leave(request: HttpRequest, provider_id: str) -> HttpResponse:
    """To the provider, by a form of the sign-in page."""
    _known(provider_id)
    answer: HttpResponse = OAuth2LoginView.adapter_view(Exchange(request, provider_id))(request)
    return answer


@login_not_required
def come_back(request: HttpRequest, provider_id: str) -> HttpResponse:
    """From the provider: signed in, or told that nobody was."""
    _known(provider_id)
    answer: HttpResponse = Back.adapter_view(Exchange(request, provider_id))(request)
    return answer


def _known(provider_id: str) -> None:
    apps = settings.SOCIALACCOUNT_PROVIDERS.get("openid_connect", {}).get("APPS", [])
    if provider_id not in {app["provider_id"] for app in apps}:
        raise Http404
