"""The audit page, below /t/<tenant>/."""

from django.urls import path

from tenants.trail import views

urlpatterns = [
    path("audit/", views.show_audit, name="audit"),
    path("audit/export/", views.export_audit, name="audit_export"),
]
