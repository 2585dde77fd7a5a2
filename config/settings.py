"""All settings, read once from the environment; the table in the README names every variable."""

import os
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

BASE_DIR = Path(__file__).resolve().parent.parent
VAR_DIR = Path(os.environ.get("KEDGE_VAR", BASE_DIR / "var"))

SECRET_KEY = os.environ.get("KEDGE_SECRET_KEY", "development-only")
DEBUG = False
ALLOWED_HOSTS = ["127.0.0.1", "localhost", "testserver"]

INSTALLED_APPS = [
    "django.contrib.contenttypes",
    "django.contrib.auth",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "guardian",
    "allauth",
    "allauth.account",
    "django_htmx",
    "template_partials",
    "tenants",
    "checkpoints",
    "approvals",
    "reconciliation",
    "execution",
    "config",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "tenants.middleware.SignInRequired",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "tenants.middleware.DenialsAreAudited",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]


def _database(url: str) -> dict[str, object]:
    parts = urlsplit(url)
    query = {key: values[0] for key, values in parse_qs(parts.query).items()}
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.lstrip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": query.pop("host", parts.hostname or ""),
        "PORT": str(parts.port or query.pop("port", "")),
        "TEST": {"NAME": "test_kedge" + os.environ.get("KEDGE_TEST_SUFFIX", "")},
    }


DATABASES = {"default": _database(os.environ.get("DATABASE_URL", "postgresql:///kedge"))}
REDIS_URL = os.environ.get("REDIS_URL", "")

# Sign-in: e-mail and password through allauth, of which only its two routed pages are reachable.
AUTH_USER_MODEL = "tenants.User"
AUTHENTICATION_BACKENDS = [
    "allauth.account.auth_backends.AuthenticationBackend",
    "guardian.backends.ObjectPermissionBackend",
]
ANONYMOUS_USER_NAME = None
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "/"
CSRF_FAILURE_VIEW = "tenants.views.form_refused"
SESSION_COOKIE_NAME = "kedge_session"
SESSION_COOKIE_AGE = 8 * 60 * 60
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
ACCOUNT_ADAPTER = "tenants.adapter.Adapter"
ACCOUNT_LOGIN_METHODS = {"email"}
# Nobody signs up; allauth derives its sign-in form from these.
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*"]
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_SESSION_REMEMBER = True  # for SESSION_COOKIE_AGE, without asking
ACCOUNT_LOGOUT_REDIRECT_URL = LOGIN_URL
# The sign-in attempts that allauth limits; nothing else is cached.
CACHES = {"default": {"BACKEND": "tenants.limits.AttemptCache", "LOCATION": REDIS_URL}}
KEDGE_DEMO = os.environ.get("KEDGE_DEMO") == "1"  # one-use sign-in links, on loopback only

DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
USE_TZ = True
TIME_ZONE = "UTC"
STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
