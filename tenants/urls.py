"""Getting in and out. Of allauth's pages only these two are reachable; it finds them by name."""

from allauth.account.views import login, logout
from django.contrib.auth.decorators import login_not_required
from django.urls import path

from tenants import views

urlpatterns = [
    path("sign-in/", login, name="account_login"),
    path("sign-out/", login_not_required(logout), name="account_logout"),
    path("sign-in/link/<str:token>/", views.sign_in_by_link, name="sign_in_link"),
]
