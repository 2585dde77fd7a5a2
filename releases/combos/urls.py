"""The pages of combos, below a tenant."""

from django.urls import path

from releases.combos import views

urlpatterns = [
    path("combos/", views.combos, name="combos"),
    path("combos/<digest:digest>/", views.combo, name="combo"),
    path("combos/<digest:digest>/against/<digest:other>/", views.combo_pair, name="combo_pair"),
]
