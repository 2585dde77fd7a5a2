"""All settings, read once from the environment; the README names every variable."""

import os
from pathlib import Path

from config import above, database, environment, keyring, logs, oidc, policy, practice
from config.demo.desk import places as desk
from config.embedded.places import places
from config.metrics import options as metrics

BASE_DIR = Path(__file__).resolve().parent.parent
VAR_DIR = Path(os.environ.get("KEDGE_VAR") or BASE_DIR / "var").absolute()

PRODUCTION = (
    environment.choice(os.environ, "KEDGE_ENV", ("development", "production")) == "production"
)
# manage.py and wsgi.py say which process this is; it decides the database user.
ROLE = environment.choice(os.environ, "KEDGE_ROLE", database.ROLES)
PORT = environment.number(os.environ, "KEDGE_PORT", 8700, most=65535)

PRACTICE = practice.load(BASE_DIR / "practice.yaml")
PRACTICE_DIGEST = practice.digest(BASE_DIR / "practice.yaml")
LOCK_DIGEST = practice.digest(BASE_DIR / "requirements.lock")

SECRET_KEY = environment.secret_key(os.environ, VAR_DIR, production=PRODUCTION)
DEBUG = environment.only_in_development(
    os.environ, "KEDGE_DEBUG", "shows settings and source to visitors", production=PRODUCTION
)
ALLOWED_HOSTS = environment.hosts(os.environ, production=PRODUCTION)
LOGGING = logs.logging_config(os.environ.get("KEDGE_LOG_LEVEL", "INFO"))

INSTALLED_APPS = [
    "django.contrib.contenttypes",
    "django.contrib.auth",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "guardian",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
    "django_htmx",
    "template_partials",
    "tenants",
    "checkpoints",
    "approvals",
    "reconciliation",
    "execution",
    "releases",
    "config",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "config.overtaken.KnownTablesOnly",
    "tenants.signin.middleware.OwnTenantsOnly",
    "tenants.signin.middleware.CredentialsAreRefused",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "tenants.signin.middleware.ConfirmationShowsThePage",
    "tenants.signin.middleware.SignInRequired",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "config.middleware.DomainErrors",
    "tenants.signin.middleware.DenialsAreAudited",
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
                "config.context.nav",
            ]
        },
    }
]


# What the environment does not name, `up` starts from the wheels.
EMBEDDED = [name for name in ("DATABASE_URL", "REDIS_URL") if not os.environ.get(name)]
PLACES = places(
    VAR_DIR,
    chosen=bool(os.environ.get("KEDGE_VAR")),
    account=os.environ.get("KEDGE_ACCOUNT", "nobody") if EMBEDDED else None,
)
DATABASE_URLS = database.urls(os.environ, PLACES)
TEST_DATABASE = "test_kedge" + os.environ.get("KEDGE_TEST_SUFFIX", "")
DATABASES = {"default": database.database(DATABASE_URLS, ROLE, test_name=TEST_DATABASE)}
REDIS_URL = os.environ.get("REDIS_URL") or PLACES.redis_url

# Sign-in through allauth, of which only the pages that tenants.urls routes are reachable.
AUTH_USER_MODEL = "tenants.User"
AUTHENTICATION_BACKENDS = [
    "tenants.signin.backends.People",
    "guardian.backends.ObjectPermissionBackend",
]
ANONYMOUS_USER_NAME = None
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "/"
CSRF_FAILURE_VIEW = "tenants.signin.views.form_refused"
SESSION_COOKIE_NAME = "kedge_session"
SESSION_COOKIE_AGE = 8 * 60 * 60
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
ACCOUNT_ADAPTER = "tenants.signin.adapter.Adapter"
ACCOUNT_LOGIN_METHODS = {"email"}
# Nobody signs up; allauth derives its sign-in form from these.
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*"]
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_SESSION_REMEMBER = True  # for SESSION_COOKIE_AGE, without asking
ACCOUNT_LOGOUT_REDIRECT_URL = LOGIN_URL
AUTH_PASSWORD_VALIDATORS = [
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 12},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
]
# A code sent by mail confirms nothing: whoever reads the mail would be the person.
ACCOUNT_REAUTHENTICATION_METHODS = ["password", "mfa"]
ACCOUNT_REAUTHENTICATION_TIMEOUT = 10 * 60
MFA_ADAPTER = "tenants.signin.factors.Factors"
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_ALLOW_UNVERIFIED_EMAIL = True  # whoever runs the installation made the account
MFA_TOTP_ISSUER = "Kedge"
MFA_TOTP_TOLERANCE = 1  # half a minute either way: phones' clocks differ
MFA_FORMS = {
    "activate_totp": "tenants.signin.factors.NewAppForm",
    "authenticate": "tenants.signin.factors.SecondFactorForm",
    "authenticate_webauthn": "tenants.signin.factors.SecondFactorPasskeyForm",
    "reauthenticate": "tenants.signin.factors.ConfirmByCodeForm",
    "reauthenticate_webauthn": "tenants.signin.factors.ConfirmByPasskeyForm",
    "login_webauthn": "tenants.signin.factors.PasskeySignInForm",
}
OIDC = oidc.provider(os.environ, production=PRODUCTION)
SOCIALACCOUNT_ADAPTER = "tenants.signin.oidc.Providers"
SOCIALACCOUNT_PROVIDERS = {"openid_connect": OIDC.as_allauth()} if OIDC else {}
# The sign-in attempts that allauth limits; nothing else is cached.
CACHES = {"default": {"BACKEND": "tenants.signin.limits.AttemptCache", "LOCATION": REDIS_URL}}
KEDGE_DEMO = environment.only_in_development(
    os.environ, "KEDGE_DEMO", "signs people in by one-use links", production=PRODUCTION
)

DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
USE_TZ = True
TIME_ZONE = "UTC"

STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATIC_ROOT = VAR_DIR / "static"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
if ROLE == "web":
    # Only here has `up` collected the files; tests and commands use them where they stand.
    MIDDLEWARE.insert(1, "whitenoise.middleware.WhiteNoiseMiddleware")
    STORAGES["staticfiles"]["BACKEND"] = "whitenoise.storage.CompressedManifestStaticFilesStorage"

CONTENT_SECURITY_POLICY = policy.content(forms_lead_to=[OIDC.origin] if OIDC else [])
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = PRODUCTION
# Probes come over plain HTTP from beside the process.
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$"]
SECURE_HSTS_SECONDS = 365 * 24 * 60 * 60 if PRODUCTION else 0
# Whether sibling hosts speak HTTPS only is not this dashboard's to decide.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
if environment.switch(os.environ, "KEDGE_BEHIND_PROXY"):
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
CSRF_TRUSTED_ORIGINS = [f"https://{host}" for host in ALLOWED_HOSTS] if PRODUCTION else []

# The engine: what runs, how long a lease lasts, how patient look-ups are.
KEDGE_AGENTS = os.environ.get("KEDGE_AGENTS", "agents.registry")
KEDGE_LEASE_SECONDS = environment.number(os.environ, "KEDGE_LEASE_SECONDS", 10, most=300)
KEDGE_TENANT_SLOTS = environment.number(os.environ, "KEDGE_TENANT_SLOTS", 1000, most=100_000)
KEDGE_MOST_ATTEMPTS = environment.number(os.environ, "KEDGE_MOST_ATTEMPTS", 5, most=1000)
KEDGE_PATIENCE_SECONDS = environment.number(
    os.environ, "KEDGE_PATIENCE_SECONDS", 1800, most=7 * 24 * 3600
)
# A door closes after so many unknowns in a row; then so often one probe, and so many runs a minute.
KEDGE_DOOR_UNKNOWNS = environment.number(os.environ, "KEDGE_DOOR_UNKNOWNS", 5, most=1000)
KEDGE_DOOR_PROBE_SECONDS = environment.number(
    os.environ, "KEDGE_DOOR_PROBE_SECONDS", 60, most=24 * 3600
)
KEDGE_DOOR_RUNS_PER_MINUTE = environment.number(
    os.environ, "KEDGE_DOOR_RUNS_PER_MINUTE", 600, most=6000
)
# How often a tool is asked again of an effect that people have a case of.
KEDGE_ASK_AGAIN_SECONDS = environment.number(
    os.environ, "KEDGE_ASK_AGAIN_SECONDS", 120, most=24 * 3600
)
KEDGE_TURN_SECONDS = environment.number(os.environ, "KEDGE_TURN_SECONDS", 20, most=3600)
KEDGE_SWEEP_SECONDS = 0.25
KEDGE_JOURNAL_DIR = Path(os.environ.get("KEDGE_JOURNAL_DIR") or VAR_DIR / "journal")
# s3://bucket/prefix: lines of effects go there; the folder keeps the spool. One journal for all.
KEDGE_JOURNAL_URL = os.environ.get("KEDGE_JOURNAL_URL", "")
# Lines older than any backup that may be restored are of no use.
KEDGE_JOURNAL_DAYS = environment.number(os.environ, "KEDGE_JOURNAL_DAYS", 400, most=3650)

# What signs the heads of the audit chains and evidence, and older keys that are still believed.
KEDGE_SIGNING_KEY = environment.signing_key(os.environ, VAR_DIR, production=PRODUCTION)
KEDGE_OLDER_PUBLIC_KEYS = environment.public_keys(os.environ, "KEDGE_OLDER_PUBLIC_KEYS")

# What wraps the keys of encrypted fields: id:base64, newest first.
KEDGE_KEYS = keyring.key_ring(os.environ, VAR_DIR, production=PRODUCTION)

# What Prometheus may read, and under which token; with none nothing is served.
KEDGE_METRICS = metrics.options(os.environ)

# What other apps show on the page of a run, each under its URL name, in this order.
RUN_PANELS = ["reconciliation:run_actions", "approvals:run_requests"]
# What floors above the ledger know of a run: the members of its evidence, and what makes each.
EVIDENCE_PARTS = {"plans": "execution.plans.evidence.of_run"}
# What keeps a stop from being lifted: each takes its id and says why not, or "".
KEDGE_LIFT_CHECKS: list[str] = ["reconciliation.behind.lifting.why_not"]
# What keeps a run from being started: each takes tenant, task type and business key, and says why.
KEDGE_START_CHECKS: list[str] = ["reconciliation.behind.settling.why_no_start"]
# What floors above do for those below: duties of the sweeper, and what else holds runs.
SWEEP_DUTIES, RUN_HOLDERS = above.SWEEP_DUTIES, above.RUN_HOLDERS
# What floors above offer on the page of a case, beside verdicts: see reconciliation.verdicts.offers.
CASE_OFFERS: list[str] = ["execution.edits.offering.offers", "execution.forks.offering.offers"]

# The chat model, through one port; with no address a deterministic function stands in.
KEDGE_MODEL_URL = os.environ.get("KEDGE_MODEL_URL", "")
KEDGE_MODEL = os.environ.get("KEDGE_MODEL", "")
KEDGE_MODEL_KEY = os.environ.get("KEDGE_MODEL_KEY", "")
# How many effects that happened are looked up again per minute by each sweeper; 0: none.
KEDGE_SAMPLES_PER_MINUTE = environment.number(
    os.environ, "KEDGE_SAMPLES_PER_MINUTE", 6, least=0, most=600
)
KEDGE_SECOND_LOOKS_PER_MINUTE = environment.number(
    os.environ, "KEDGE_SECOND_LOOKS_PER_MINUTE", 6, most=600
)
KEDGE_REMOTES = os.environ.get("KEDGE_REMOTES", "")
# Tools that files declare, and the private hosts that such tools may talk to.
KEDGE_TOOLS = os.environ.get("KEDGE_TOOLS", "")
KEDGE_TOOL_PRIVATE_HOSTS = environment.names(os.environ, "KEDGE_TOOL_PRIVATE_HOSTS")
# The systems of the demo's refund desk, its task types, and what its tools' variables stand for.
DESK = desk.of_demo(os.environ, (VAR_DIR, PORT, SECRET_KEY)) if KEDGE_DEMO and EMBEDDED else None
KEDGE_REFUND_DESK = environment.switch(os.environ, "KEDGE_REFUND_DESK", default=DESK is not None)
TOOL_VALUES = DESK.values(PLACES) if DESK else {}
KEDGE_TOOL_PRIVATE_HOSTS += DESK.hosts() if DESK else []

# Where mail is handed in; with no host named, the demo's own sink keeps it on this machine.
KEDGE_SMTP_HOST = os.environ.get("KEDGE_SMTP_HOST") or "127.0.0.1"
KEDGE_SMTP_PORT = environment.number(os.environ, "KEDGE_SMTP_PORT", 8725, most=65535)
KEDGE_SMTP_USER = os.environ.get("KEDGE_SMTP_USER", "")
KEDGE_SMTP_PASSWORD = os.environ.get("KEDGE_SMTP_PASSWORD", "")
KEDGE_SMTP_STARTTLS = environment.switch(os.environ, "KEDGE_SMTP_STARTTLS")
KEDGE_MAIL_SINK = KEDGE_DEMO and not os.environ.get("KEDGE_SMTP_HOST")

# Notifications: sent where there is a mail server, or where they are switched on by hand.
KEDGE_NOTIFICATIONS = environment.switch(
    os.environ,
    "KEDGE_NOTIFICATIONS",
    default=bool(os.environ.get("KEDGE_SMTP_HOST")),
)
NOTICE_PAGES = {
    "case": "reconciliation:case",
    "credentials": "reconciliation:credentials",
    "stop": "stop",
}
KEDGE_URL = environment.address(os.environ, ALLOWED_HOSTS, PORT, production=PRODUCTION)
KEDGE_MAIL_FROM = os.environ.get("KEDGE_MAIL_FROM") or "kedge@localhost"
KEDGE_WEBHOOK_HOSTS = environment.names(os.environ, "KEDGE_WEBHOOK_HOSTS")
KEDGE_WEBHOOK_PRIVATE_HOSTS = environment.names(os.environ, "KEDGE_WEBHOOK_PRIVATE_HOSTS")
# How long nobody may decide before the owner of the task type is told, once.
KEDGE_ESCALATE_MINUTES = environment.number(
    os.environ, "KEDGE_ESCALATE_MINUTES", 60, most=7 * 24 * 60
)
# How long somebody is taken to be at a case or a problem after their page was last heard of.
KEDGE_CLAIM_SECONDS = environment.number(os.environ, "KEDGE_CLAIM_SECONDS", 900, most=24 * 3600)
# For how many seconds a case may wait for people, by kind: "outcome_unknown=1800,crash_loop=7200".
KEDGE_CASE_TARGETS = environment.seconds(os.environ, "KEDGE_CASE_TARGETS")
# How long a decided run may take to commit past its trouble, beside the deadline of a node.
KEDGE_PROOF_MINUTES = environment.number(os.environ, "KEDGE_PROOF_MINUTES", 30, most=7 * 24 * 60)
KEDGE_FAILURE_DAYS = environment.number(os.environ, "KEDGE_FAILURE_DAYS", 7, most=3650)
KEDGE_EXPECTED_AGES = environment.seconds(os.environ, "KEDGE_EXPECTED_AGES")
