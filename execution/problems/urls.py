"""The pages of problems, under the address of a tenant."""

from django.urls import URLPattern, URLResolver, include, path

from execution.problems import views

one_problem: list[URLPattern] = [
    path("", views.show_problem, name="problem"),
    path("snoozes/", views.snooze_problem, name="snooze_problem"),
    path("changes/", views.change_problem, name="change_problem"),
    path("claims/", views.claim_problem, name="claim_problem"),
]
urlpatterns: list[URLPattern | URLResolver] = [
    path("", views.list_problems, name="problems"),
    path("<slug:fingerprint>/", include(one_problem)),
]
