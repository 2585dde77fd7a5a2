"""What runs in the demo: a campaign and reports for each tenant, the smaller one for the second."""

from dataclasses import dataclass

from agents import fleet
from agents.fleet import CampaignRun
from agents.fleet_change.graph import TASK_TYPE as FLEET_CHANGE
from agents.repository_report.graph import TASK_TYPE as REPORT
from checkpoints import runs
from checkpoints.asked import Request
from config.demo.people import HARBOUR, NORTHSEA, SEED
from tenants.models import Tenant

CHANNEL = "demo"
ASKED_FOR_BY = "platform team"


@dataclass(frozen=True)
class Campaign:
    """One campaign of a tenant. Its name is in every commit and mail, so no two share one."""

    tenant: str
    name: str
    repositories: tuple[str, ...]
    reports: int


CAMPAIGNS = (
    Campaign(HARBOUR, fleet.CAMPAIGN, tuple(each.name for each in fleet.FLEET), reports=3),
    Campaign(NORTHSEA, "spring-cleaning", ("aiosmtpd", "guardian", "psycopg"), reports=2),
)
# The run whose mail server dies: it keeps the mail and cuts the line before it answers.
DYING_KEY = next(
    run.business_key for run in fleet.campaign() if "+dies@" in run.input["maintainer"]
)


def start_all() -> int:
    """Start every run that is not there yet; returns how many are new."""
    return sum(_start(campaign) for campaign in CAMPAIGNS)


def planned(campaign: Campaign) -> list[tuple[str, CampaignRun]]:
    """The runs of a campaign as (task type, run), in the order in which they are started."""
    changes = [
        (FLEET_CHANGE, run)
        for run in fleet.campaign(campaign.name)
        if run.input["repository"] in campaign.repositories
    ]
    reports = [(REPORT, run) for run in fleet.reports(campaign.name)[: campaign.reports]]
    return [*changes, *reports]


def _start(campaign: Campaign) -> int:
    tenant = Tenant.objects.get(slug=campaign.tenant)
    return sum(_start_run(tenant, task_type, run) for task_type, run in planned(campaign))


def _start_run(tenant: Tenant, task_type: str, run: CampaignRun) -> bool:
    request = Request(
        task_type, run.business_key, run.input, channel=CHANNEL, on_behalf_of=ASKED_FOR_BY
    )
    # A machine starts them: whoever starts a run may not approve what it sends.
    _, created = runs.start(tenant, request, actor=SEED)
    return created
