"""Fills the demo's refund desk, once: the bucket, the tickets, and a run for each of them."""

import time
from collections.abc import Callable

import boto3.session
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from agents.refund_desk.graph import TASK_TYPE
from checkpoints import runs
from checkpoints.asked import Request
from config.demo.desk import tickets
from config.demo.desk.cases import CASES, Case
from config.demo.desk.places import USER, Desk
from config.demo.people import SEED
from releases.combos import registering
from tenants.models import Tenant

CHANNEL = "demo"
BUCKET = "refunds"
PATIENCE_SECONDS = 40.0
LOOK_EVERY_SECONDS = 0.2

Say = Callable[[str], None]


def fill(desk: Desk, say: Say) -> int:
    """Make what is missing; how many runs are new. A desk whose systems stay away is said to be so."""
    if not _wait(desk):
        say("The refund desk's tracker or store does not answer, so no refund is started this time")
        return 0
    return sum(_start(desk, case) for case in CASES)


def _wait(desk: Desk) -> bool:
    """Until both answer and the bucket is there, or the time is over."""
    end = time.monotonic() + PATIENCE_SECONDS
    while not (tickets.is_there(desk) and _has_bucket(desk)):
        if time.monotonic() > end:
            return False
        time.sleep(LOOK_EVERY_SECONDS)
    return True


def _has_bucket(desk: Desk) -> bool:
    client = boto3.session.Session().client(
        "s3",
        endpoint_url=desk.store_url,
        region_name="us-east-1",
        aws_access_key_id=USER,
        aws_secret_access_key=desk.secret,
        config=Config(
            s3={"addressing_style": "path"},
            retries={"total_max_attempts": 1},
            connect_timeout=2,
            read_timeout=5,
        ),
    )
    try:
        client.create_bucket(Bucket=BUCKET)
    except ClientError:
        pass  # it is there, or it cannot be made yet: looking tells
    except BotoCoreError:
        return False
    try:
        client.head_bucket(Bucket=BUCKET)
    except (ClientError, BotoCoreError):
        return False
    return True


def _start(desk: Desk, case: Case) -> bool:
    given = {"ticket": tickets.number_of(desk, case)}
    request = Request(
        TASK_TYPE,
        case.business_key,
        given,
        channel=CHANNEL,
        on_behalf_of="ticket desk",
        pinned_to=registering.register(TASK_TYPE, case.variant, actor=SEED)[0],
    )
    # A machine starts them: whoever starts a run may not approve what it sends.
    _, created = runs.start(Tenant.objects.get(slug=case.shop), request, actor=SEED)
    return created
