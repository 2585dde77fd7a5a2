"""Why a run is not running, and what takes it from a worker that does nothing."""

from django.urls import URLPattern, path

from execution.pages import operating_views
from execution.whynot import views

urlpatterns: list[URLPattern] = [
    path("why/", views.why_not, name="run_why_not"),
    path("why/<slug:question>/", views.why_not_one, name="run_why_not_one"),
    path("revocation/", operating_views.revoke_run, name="revoke_run"),
]
