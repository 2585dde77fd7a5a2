"""The inbox, cases and actions, below /t/<tenant>/."""

from django.urls import include, path

from reconciliation.behind import views as behind
from reconciliation.casework import views as casework
from reconciliation.credentials import views as credentials
from reconciliation.doors import views as doors
from reconciliation.evidence import views as evidence
from reconciliation.overview import views as overview
from reconciliation.pages import caseviews, views
from reconciliation.payloads import views as payloads
from reconciliation.reports import views as reports

pages = [
    path("cases/<uuid:case_id>/", caseviews.show_case, name="case"),
    path("cases/<uuid:case_id>/standing/", caseviews.case_standing, name="case_standing"),
    path("cases/<uuid:case_id>/verdicts/", caseviews.give_verdict, name="verdicts"),
    path(
        "cases/<uuid:case_id>/proposals/<uuid:proposal_id>/",
        caseviews.answer_proposal,
        name="proposal",
    ),
    path(
        "cases/<uuid:case_id>/verdicts/<uuid:verdict_id>/back/",
        caseviews.take_back,
        name="take_back",
    ),
    path("cases/<uuid:case_id>/work/", casework.case_work, name="case_work"),
    path("cases/<uuid:case_id>/claim/", casework.claim, name="claim"),
    path("cases/<uuid:case_id>/claim/keep/", casework.keep_claim, name="keep_claim"),
    path("cases/<uuid:case_id>/claim/end/", casework.release_claim, name="release_claim"),
    path("cases/<uuid:case_id>/hand-over/", casework.hand_case_over, name="hand_case_over"),
    path("cases/<uuid:case_id>/notes/", casework.write_note, name="write_note"),
    path("cases/<uuid:case_id>/outside/", casework.wait_outside, name="wait_outside"),
    path("cases/<uuid:case_id>/outside/end/", casework.wait_no_more, name="wait_no_more"),
    path("actions/recipients/", overview.export_recipients, name="export_recipients"),
    path("actions/<uuid:action_id>/", views.show_action, name="action"),
    path("actions/<uuid:action_id>/evidence/", evidence.action_evidence, name="action_evidence"),
    path("runs/<uuid:run_id>/actions/", views.run_actions, name="run_actions"),
    path("credentials/", credentials.credentials, name="credentials"),
    path("credentials/check/", credentials.check_now, name="credential_check"),
    path("doors/", doors.doors, name="doors"),
    path("record/", behind.tenant_record, name="tenant_record"),
    path("record/<int:line_id>/", behind.settle_line, name="settle_line"),
    path("reports/", reports.reports, name="reports"),
    path("reports/new/", reports.draft, name="report_draft"),
    path("reports/new/discard/", reports.discard, name="report_discard"),
    path("reports/<uuid:report_id>/", reports.report, name="report"),
    path("reports/<uuid:report_id>/file/", reports.report_file, name="report_file"),
    path("encrypted/<slug:of>/<uuid:whose>/<int:number>/", payloads.encrypted, name="encrypted"),
]
urlpatterns = [
    path("inbox/", views.inbox, name="inbox"),
    path("inbox/", views.inbox, name="needs"),  # as the main navigation calls it
    path("inbox/next/", views.inbox_next, name="inbox_next"),
    path("actions/", overview.actions, name="actions"),
    path("", include((pages, "reconciliation"))),
]
