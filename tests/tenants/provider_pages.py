"""The site of tests/tenants/pages.py, with a provider of OpenID Connect configured."""

from django.urls import include, path

from tenants import urls
from tests.tenants.pages import home

urlpatterns = [
    path("", home),
    path("sign-in/", include(urls.at_a_provider)),
    path("", include("tenants.urls")),
]
