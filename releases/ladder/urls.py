"""The addresses of a ladder, below those of its release."""

from django.urls import URLPattern, path

from releases.ladder import views

urlpatterns: list[URLPattern] = [
    path("", views.show_ladder, name="release_ladder"),
    path("step/", views.step_on_ladder, name="step_on_ladder"),
]
