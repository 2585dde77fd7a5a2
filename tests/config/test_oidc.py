"""OpenID Connect is off unless the environment names a provider wholly, and over HTTPS."""

import pytest

from config.errors import GroundError
from config.oidc import provider

WHOLE = {
    "KEDGE_OIDC_URL": "https://id.example:8443/realm/",
    "KEDGE_OIDC_CLIENT_ID": "kedge",
    "KEDGE_OIDC_SECRET": "sesame",
}


def test_it_is_off_by_default() -> None:
    assert provider({}, production=True) is None


def test_the_environment_names_one() -> None:
    found = provider(WHOLE, production=True)
    assert found is not None
    assert (found.origin, found.name) == ("https://id.example:8443", "id.example:8443")
    app = found.as_allauth()["APPS"][0]
    assert app["settings"] == {"server_url": "https://id.example:8443/realm"}
    assert found.as_allauth()["OAUTH_PKCE_ENABLED"] is True


@pytest.mark.parametrize("left_out", ["KEDGE_OIDC_CLIENT_ID", "KEDGE_OIDC_SECRET"])
def test_half_a_provider_is_refused_by_name(left_out: str) -> None:
    with pytest.raises(GroundError, match=left_out):
        provider({**WHOLE, left_out: ""}, production=False)


def test_production_reaches_none_in_the_clear() -> None:
    clear = {**WHOLE, "KEDGE_OIDC_URL": "http://id.example"}
    assert provider(clear, production=False) is not None
    with pytest.raises(GroundError, match="https"):
        provider(clear, production=True)
