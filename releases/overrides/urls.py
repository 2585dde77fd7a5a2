"""The addresses of keys that are sent by hand, below those of a task type."""

from django.urls import path

from releases.overrides import views

urlpatterns = [
    path("send/", views.send_keys, name="send_keys"),
    path("end/", views.end_key, name="end_key"),
]
