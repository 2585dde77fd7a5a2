"""The inbox, cases and actions, below /t/<tenant>/."""

from django.urls import include, path

from reconciliation.credentials import views as credentials
from reconciliation.evidence import views as evidence
from reconciliation.pages import views
from reconciliation.payloads import views as payloads

pages = [
    path("cases/<uuid:case_id>/", views.show_case, name="case"),
    path("cases/<uuid:case_id>/standing/", views.case_standing, name="case_standing"),
    path("cases/<uuid:case_id>/verdicts/", views.give_verdict, name="verdicts"),
    path("actions/<uuid:action_id>/", views.show_action, name="action"),
    path("actions/<uuid:action_id>/evidence/", evidence.action_evidence, name="action_evidence"),
    path("runs/<uuid:run_id>/actions/", views.run_actions, name="run_actions"),
    path("credentials/", credentials.credentials, name="credentials"),
    path("encrypted/<slug:of>/<uuid:whose>/<int:number>/", payloads.encrypted, name="encrypted"),
]
urlpatterns = [
    path("inbox/", views.inbox, name="inbox"),
    path("inbox/", views.inbox, name="needs"),  # as the main navigation calls it
    path("inbox/next/", views.inbox_next, name="inbox_next"),
    path("", include((pages, "reconciliation"))),
]
