"""The addresses of releases, below those of a tenant."""

from django.urls import URLPattern, URLResolver, include, path

from releases.matrix.views import problem_matrix
from releases.pages import views
from releases.usual.urls import of_all, of_task

one_release: list[URLPattern | URLResolver] = [
    path("", views.show_release, name="release"),
    path("move/", views.propose_move, name="propose_move"),
    path("move/make/", views.make_move, name="make_move"),
    path("move/second/", views.second_move, name="second_move"),
    path("move/withdraw/", views.withdraw_move, name="withdraw_move"),
    path("ladder/", include("releases.ladder.urls")),
]
urlpatterns: list[URLPattern | URLResolver] = [
    path("releases/", views.list_releases, name="releases"),
    path("releases/new/", views.new_release, name="new_release"),
    path("releases/problems/", problem_matrix, name="problem_matrix"),
    path("releases/", include(of_all)),
    path("releases/of/<str:task_type>/", views.task_releases, name="task_releases"),
    path("releases/of/<str:task_type>/", include(of_task)),
    path("releases/of/<str:task_type>/keys/", include("releases.overrides.urls")),
    path("releases/<int:number>/", include(one_release)),
]
