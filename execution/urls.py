"""The pages of what is going on: all tenants, one tenant, one run, the system."""

from django.urls import URLPattern, URLResolver, include, path

from execution.alerts import views as alert_views
from execution.forecasts import views as forecast_views
from execution.forks import views as fork_views
from execution.pages import evidence_views, operating_views, overview_views, run_views, stop_views
from execution.recoveries.views import recoveries
from execution.views import system
from reconciliation.behind import views as record_views

one_run: list[URLPattern | URLResolver] = [
    path("", run_views.show_run, name="run"),
    path("standing/", run_views.run_standing, name="run_standing"),
    path("timeline/", run_views.run_timeline, name="run_timeline"),
    path("checkpoints/", run_views.list_checkpoints, name="run_checkpoints"),
    path("checkpoints/<int:seq>/", run_views.show_checkpoint, name="run_checkpoint"),
    path("difference/", run_views.show_difference, name="run_difference"),
    path("log/", run_views.show_log, name="run_log"),
    path("evidence/", evidence_views.run_evidence, name="run_evidence"),
    path("forecast/", forecast_views.run_forecast, name="run_forecast"),
    path("fork/", fork_views.fork_run, name="fork_run"),
    path("cancellation/", operating_views.cancel_run, name="cancel_run"),
    path("", include("execution.whynot.urls")),
]
one_lifting: list[URLPattern] = [
    path("confirmation/", stop_views.confirm_lifting, name="confirm_lifting"),
    path("withdrawal/", stop_views.withdraw_lifting, name="withdraw_lifting"),
]
one_stop: list[URLPattern | URLResolver] = [
    path("calls/", stop_views.stop_calls, name="stop_calls"),
    path("lifting/", stop_views.lift_stop, name="lift_stop"),
    path("lifting/<int:lifting_id>/", include(one_lifting)),
]
one_tenant: list[URLPattern | URLResolver] = [
    path("", overview_views.tenant_home, name="home"),
    path("cases/<uuid:case_id>/proposals/", fork_views.two_proposals, name="two_proposals"),
    path("search/", overview_views.search, name="search"),
    path("recoveries/", recoveries, name="recoveries"),
    path("alerts/", alert_views.alerts, name="alerts"),
    path("alerts/<int:rule_id>/end/", alert_views.end_alert, name="end_alert"),
    path("stop/", stop_views.stop, name="stop"),
    path("stop/<int:stop_id>/", include(one_stop)),
    path("problems/", include("execution.problems.urls")),
    path("runs/<uuid:run_id>/", include(one_run)),
    path("plans/", include("execution.plans.pages.urls")),
    path("", include("execution.edits.urls")),
]
urlpatterns = [
    path("", overview_views.across, name="across"),
    path("stop/", stop_views.where_to_stop, name="where_to_stop"),
    path("system/", system, name="system"),
    path("record/", record_views.record, name="record"),
    path("t/<slug:tenant>/", include(one_tenant)),
]
