"""A desk with a shop and a mail server of its own for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_django import Settings

from agents.tools.mail.sending import MailServer
from agents.tools.mail.tool import SendMail
from checkpoints import registry
from config.demo import classes
from tenants.access import grant
from tenants.actors import Actor
from tenants.models import Tenant, User
from tenants.roles import ROLES
from tests.contract.daemons import mail_sink
from tests.engine.refund_desk.desks import Desk
from tests.engine.turns import Bench
from tests.people import eve
from tests.servers.shop import Shop


@pytest.fixture
def desk(
    engine: Bench, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Desk]:
    """The installation's own agents, at real systems."""
    settings.KEDGE_AGENTS, settings.KEDGE_MODEL_URL = "agents.registry", ""
    registry.agents.cache_clear()
    shop = Shop(engine.tenant.slug)
    for name, value in shop.values().items():
        monkeypatch.setenv(name, value)
    classes.make([engine.tenant], actor=Actor.machine("test"))
    with mail_sink(tmp_path / "mail") as port:
        mail = SendMail(MailServer("127.0.0.1", port))
        monkeypatch.setitem(registry.agents().TOOLS.by_name, mail.name, mail)
        yield Desk(engine, shop, _approving(engine.tenant), tmp_path / "mail")


def _approving(tenant: Tenant) -> User:
    """Eve, who approves here."""
    user = eve(tenant)
    grant(tenant, user, *ROLES["approver"])
    return user
