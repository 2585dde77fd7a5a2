"""The pages of the record; included under the tenant's address."""

from django.urls import path

from checkpoints.pages import views

urlpatterns = [
    path("runs/", views.list_runs, name="runs"),
    path("runs/new/", views.new_runs, name="runs_new"),
    path("runs/visible/", views.visible_runs, name="runs_visible"),
    path("runs/start/", views.start_run, name="start_run"),
]
