"""The whole site map."""

from django.urls import URLPattern, URLResolver, include, path

from config.health import healthz, readyz

urlpatterns: list[URLPattern | URLResolver] = [
    path("healthz", healthz, name="healthz"),
    path("readyz", readyz, name="readyz"),
    path("", include("tenants.urls")),
    path("", include("execution.urls")),
    path("", include("config.demo.urls")),
    path("t/<slug:tenant>/", include("tenants.trail.urls")),
    path("t/<slug:tenant>/", include("checkpoints.urls")),
    path("t/<slug:tenant>/", include("approvals.urls")),
    path("t/<slug:tenant>/", include("reconciliation.urls")),
    path("t/<slug:tenant>/", include("releases.combos.urls")),
    path("t/<slug:tenant>/", include("releases.pages.urls")),
    path("t/<slug:tenant>/", include("releases.rollbacks.pages.urls")),
    path("t/<slug:tenant>/", include("releases.shadows.urls")),
]
