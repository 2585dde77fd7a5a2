"""Settings come from the environment alone, and the README has them all."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client

ROOT: Path = settings.BASE_DIR
OURS = r"KEDGE_.*|DATABASE_URL.*|REDIS_URL|DJANGO_SETTINGS_MODULE"
NAME = r"KEDGE_[A-Z_]+|DATABASE_URL(?:_[A-Z]+)?|REDIS_URL"
FLOORS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"][
    "root_packages"
]
PRODUCTION = {
    "KEDGE_ENV": "production",
    "KEDGE_SECRET_KEY": "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVW",
    "KEDGE_SIGNING_KEY": "b25seS1mb3ItdGhlLWNoZWNrLTAxMjM0NTY3ODlhYmM=",
    "KEDGE_KEYS": "check:b25seS1mb3ItdGhlLWNoZWNrLTAxMjM0NTY3ODlhYmM=",
    "KEDGE_HOSTS": "kedge.example",
    "DATABASE_URL": "postgresql://kedge@db.example/kedge",
    "REDIS_URL": "redis://cache.example/0",
}


def manage(*words: str, env: dict[str, str], var: Path) -> subprocess.CompletedProcess[str]:
    clean = {name: value for name, value in os.environ.items() if not re.fullmatch(OURS, name)}
    return subprocess.run(
        [sys.executable, "manage.py", *words],
        cwd=ROOT,
        env={**clean, "KEDGE_VAR": str(var), **env},
        capture_output=True,
        text=True,
        check=False,
    )


def named_in_code() -> set[str]:
    """Every variable that product code names in a string of its own."""
    sources = [path for path in ROOT.glob("*/**/*.py") if path.relative_to(ROOT).parts[0] in FLOORS]
    return {name for path in sources for name in re.findall(rf'"({NAME})"', path.read_text())}


def test_the_table_names_every_variable_and_no_other() -> None:
    table = (ROOT / "README.md").read_text()
    assert set(re.findall(rf"^\| `({NAME})` \|", table, re.MULTILINE)) == named_in_code()


def test_production_passes_djangos_deployment_checks(tmp_path: Path) -> None:
    done = manage("check", "--deploy", "--fail-level", "WARNING", env=PRODUCTION, var=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("env", "sentence"),
    [
        ({"KEDGE_SECRET_KEY": ""}, "KEDGE_SECRET_KEY is not set"),
        ({"KEDGE_SIGNING_KEY": ""}, "KEDGE_SIGNING_KEY is not set"),
        ({"KEDGE_SIGNING_KEY": "c2hvcnQ="}, "this is 5 bytes"),
        ({"KEDGE_OLDER_PUBLIC_KEYS": "x"}, "KEDGE_OLDER_PUBLIC_KEYS names a key"),
        ({"KEDGE_KEYS": ""}, "KEDGE_KEYS is not set"),
        ({"KEDGE_KEYS": "a:c2hvcnQ="}, "not 32 random bytes"),
        ({"KEDGE_HOSTS": "*"}, "wildcard"),
        ({"KEDGE_DEBUG": "1"}, "KEDGE_DEBUG=1"),
        ({"KEDGE_DEMO": "1"}, "KEDGE_DEMO=1"),
        ({"KEDGE_ENV": "staging"}, "development or production"),
        ({"DATABASE_URL": "kedge"}, "DATABASE_URL"),
    ],
)
def test_what_is_refused_ends_with_a_sentence(
    tmp_path: Path, env: dict[str, str], sentence: str
) -> None:
    done = manage("check", env={**PRODUCTION, **env}, var=tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith("kedge: ")
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr


def test_pages_allow_nothing_inline(client: Client) -> None:
    policy = client.get("/healthz")["Content-Security-Policy"]
    assert "unsafe" not in policy
    assert {part.strip() for part in policy.split(";")} == {
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
    }
