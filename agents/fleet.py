"""The demo fleet: twelve repositories of real code, who looks after each, and one campaign."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from agents.fleet_change.message import business_key

Json = Any

CAMPAIGN = "modern-python"


@dataclass(frozen=True)
class Repository:
    """A demo repository: `folder` of an installed `distribution`, added in `commits` steps.

    `rule` is what the campaign changes in it. Paths that start with one of `without` stay out.
    """

    name: str
    distribution: str
    folder: str
    commits: int
    maintainer: str
    rule: Mapping[str, Json]
    without: tuple[str, ...] = ()


@dataclass(frozen=True)
class CampaignRun:
    """One run to be started: its business key and its input."""

    business_key: str
    input: dict[str, Json]


def _ruff(*codes: str) -> dict[str, Json]:
    return {"kind": "ruff", "select": list(codes)}


ENCODING = {"kind": "codemod", "name": "explicit-encoding"}

# The mail server stores a mail to an address with "+dies" in it and cuts the line before it
# answers: one of the twelve mails ends as an unknown outcome that only a person can decide.
FLEET = (
    Repository("rq", "rq", "rq", 12, "noor+dies@kedge.example", _ruff("RET505", "PIE", "SIM")),
    Repository("aiosmtpd", "aiosmtpd", "aiosmtpd", 9, "teo@kedge.example", _ruff("UP")),
    Repository("guardian", "django-guardian", "guardian", 14, "ines@kedge.example",
               _ruff("B", "C4", "RET505")),
    Repository("supervisor", "supervisor", "supervisor", 16, "olu@kedge.example", ENCODING),
    Repository("gunicorn", "gunicorn", "gunicorn", 18, "mei@kedge.example", _ruff("UP", "SIM")),
    Repository("psycopg", "psycopg", "psycopg", 20, "jon@kedge.example",
               _ruff("F401", "PIE", "SIM", "UP")),
    Repository("django-utils", "django", "django/utils", 15, "ada@kedge.example",
               _ruff("PIE", "RET505", "UP")),
    Repository("django-core", "django", "django/core", 24, "sam@kedge.example",
               _ruff("PIE", "SIM", "UP")),
    Repository("redis-client", "redis", "redis", 26, "ravi@kedge.example",
               _ruff("PERF", "PIE", "SIM")),
    Repository("django-db", "django", "django/db", 28, "lena@kedge.example",
               _ruff("PERF", "PIE", "SIM", "UP")),
    # One commit for each file: a history long enough for a long report.
    Repository("django-gis", "django", "django/contrib/gis", 400, "yuki@kedge.example",
               _ruff("PIE", "RET505", "SIM", "UP")),
    Repository("allauth", "django-allauth", "allauth", 30, "pia@kedge.example",
               _ruff("PIE", "RET505", "SIM"), without=("allauth/socialaccount/", "allauth/templates/")),
)  # fmt: skip


def campaign(name: str = CAMPAIGN) -> list[CampaignRun]:
    """The runs of a campaign in any one tenant: one for each repository."""
    return [_run(repository, name) for repository in FLEET]


def reports(name: str = CAMPAIGN) -> list[CampaignRun]:
    """One `repository_report` for each repository, the longest history first."""
    longest_first = sorted(FLEET, key=lambda repository: -repository.commits)
    return [
        CampaignRun(f"{name}/{repository.name}", {"repository": repository.name, "limit": 1_000})
        for repository in longest_first
    ]


def _run(repository: Repository, name: str) -> CampaignRun:
    given = {
        "repository": repository.name,
        "rule": dict(repository.rule),
        "maintainer": repository.maintainer,
        "campaign": name,
    }
    return CampaignRun(business_key(given), given)
