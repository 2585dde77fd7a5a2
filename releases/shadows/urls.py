"""The addresses of a release's shadows, below those of a tenant."""

from django.urls import URLPattern, URLResolver, path

from releases.shadows import views

urlpatterns: list[URLPattern | URLResolver] = [
    path("releases/<int:number>/shadows/", views.list_shadows, name="shadows"),
    path("releases/<int:number>/shadows/<uuid:twin_id>/", views.show_twin, name="shadow_twin"),
]
