"""The addresses of a tenant's own policies, below those of its releases."""

from django.urls import path

from releases.usual import views

of_all = [path("policy/", views.release_policy, name="release_policy")]
of_task = [path("policy/", views.task_policy, name="task_policy")]
