"""The addresses of rollbacks, below those of a tenant."""

from django.urls import URLPattern, URLResolver, include, path

from releases.rollbacks.pages import boardviews, views

one_rollback: list[URLPattern] = [
    path("", views.show_rollback, name="rollback"),
    path("progress/", views.rollback_progress, name="rollback_progress"),
    path("start/", views.start_rollback, name="start_rollback"),
    path("second/", views.second_rollback, name="second_rollback"),
    path("withdraw/", views.withdraw_rollback, name="withdraw_rollback"),
    path("pause/", views.pause_rollback, name="pause_rollback"),
    path("go-on/", views.go_on_rollback, name="go_on_rollback"),
    path("runs/", boardviews.rollback_runs, name="rollback_runs"),
    path("board/", boardviews.rollback_board, name="rollback_board"),
    path("board/<int:effect>/undo/", boardviews.undo_effect, name="undo_effect"),
]
urlpatterns: list[URLPattern | URLResolver] = [
    path("releases/<int:number>/rollback/", views.new_rollback, name="new_rollback"),
    path("rollbacks/<int:number>/", include(one_rollback)),
]
