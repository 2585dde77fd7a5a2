"""The pages of states written by hand, below /t/<tenant>/."""

from django.urls import path

from execution.edits import views

urlpatterns = [
    path("cases/<uuid:case_id>/edits/", views.write_edit, name="write_edit"),
    path("edits/<uuid:edit_id>/", views.show_edit, name="edit"),
    path("edits/<uuid:edit_id>/decision/", views.decide_edit, name="decide_edit"),
    path("edits/<uuid:edit_id>/withdrawal/", views.withdraw_edit, name="withdraw_edit"),
]
