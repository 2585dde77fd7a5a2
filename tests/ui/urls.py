"""The site map of the style page: every component in every state, and the names the shell links to."""

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.urls import path

from tests.ui import views


@login_not_required
def nowhere(request: HttpRequest, tenant: str = "") -> HttpResponse:
    """Stands for the pages that live elsewhere."""
    return HttpResponse("<!DOCTYPE html><html lang=en><title>Elsewhere</title><h1>Elsewhere</h1>")


urlpatterns = [
    path("gallery/", views.gallery, name="gallery"),
    path("signed-out/", views.signed_out, name="signed_out"),
    path("poll/", views.poll, name="poll"),
    path("lines/", views.lines, name="lines"),
    path("t/<slug:tenant>/", nowhere, name="home"),
    path("t/<slug:tenant>/needs/", nowhere, name="needs"),
    path("t/<slug:tenant>/runs/", nowhere, name="runs"),
    path("t/<slug:tenant>/search/", nowhere, name="search"),
    path("t/<slug:tenant>/stop/", nowhere, name="stop"),
    path("system/", nowhere, name="system"),
    path("sign-out/", nowhere, name="account_logout"),
]
