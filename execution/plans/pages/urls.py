"""The addresses of saved plans, below those of a tenant."""

from django.urls import URLPattern, URLResolver, include, path

from execution.plans.pages import views

one_plan: list[URLPattern] = [
    path("", views.show_plan, name="plan"),
    path("progress/", views.plan_progress, name="plan_progress"),
    path("items/", views.plan_items, name="plan_items"),
    path("start/", views.start_plan, name="start_plan"),
    path("stop/", views.stop_plan, name="stop_plan"),
    path("second/", views.second_plan, name="second_plan"),
    path("discard/", views.discard_plan, name="discard_plan"),
]
urlpatterns: list[URLPattern | URLResolver] = [
    path("", views.list_plans, name="plans"),
    path("new/", views.new_plan, name="new_plan"),
    path("<int:number>/", include(one_plan)),
]
