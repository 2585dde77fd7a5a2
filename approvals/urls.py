"""Requests and approvals, below /t/<tenant>/."""

from django.urls import path

from approvals.drift import anew
from approvals.looking import views as looking
from approvals.pages import batchviews, posts, toolviews, views
from approvals.showing import reading

app_name = "approvals"
urlpatterns = [
    path("approvals/<uuid:request_id>/", views.show, name="request"),
    path("approvals/<uuid:request_id>/standing/", views.standing, name="standing"),
    path("approvals/<uuid:request_id>/diff/", reading.whole_diff, name="whole_diff"),
    path("approvals/<uuid:request_id>/files/<int:number>/", reading.file_lines, name="file_lines"),
    path("approvals/<uuid:request_id>/parameters/", reading.parameters, name="parameters"),
    path("approvals/<uuid:request_id>/<slug:of>/whole/<int:number>/", reading.value, name="value"),
    path("approvals/<uuid:request_id>/decision/", posts.decide, name="decision"),
    path("approvals/<uuid:request_id>/withdrawal/", posts.withdraw, name="withdrawal"),
    path("approvals/<uuid:request_id>/taking-back/", posts.take_back, name="taking_back"),
    path("approvals/<uuid:request_id>/hand-overs/", posts.hand_over, name="hand_over"),
    path(
        "approvals/<uuid:request_id>/hand-overs/<uuid:hand_over_id>/taking-back/",
        posts.take_hand_over_back,
        name="take_hand_over_back",
    ),
    path("approvals/<uuid:request_id>/dry-run-again/", anew.dry_run_again, name="dry_run_again"),
    path("approvals/<uuid:request_id>/second-look/", looking.show, name="second_look"),
    path(
        "approvals/<uuid:request_id>/second-look/<uuid:look_id>/seen/",
        looking.see,
        name="remarks_seen",
    ),
    path("approvals/batch/", batchviews.choose, name="batch"),
    path("approvals/batches/", batchviews.decide, name="batches"),
    path("approvals/batches/<uuid:batch_id>/", batchviews.result, name="batch_result"),
    path("tools/", toolviews.tools, name="tools"),
    path("runs/<uuid:run_id>/requests/", views.run_requests, name="run_requests"),
]
