"""The demo's pages; without KEDGE_DEMO each of them is a 404."""

from django.urls import path

from config.demo import views

urlpatterns = [
    path("demo/", views.show, name="demo"),
    path("demo/plugged/", views.plugged, name="demo_plugged"),
    path("demo/pushes/<uuid:request_id>/plug/", views.pull_the_plug, name="pull_the_plug"),
    path("outside-world/", views.outside_world, name="outside_world"),
]
