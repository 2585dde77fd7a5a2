"""What the demo's tenants say of their tools: how far what each does can be set right."""

from collections.abc import Iterable
from typing import Final

from approvals.people import reversibility
from approvals.rules.classes import COMPENSABLE
from tenants.actors import Actor
from tenants.models import Tenant

CLASSES: Final = {
    "git_push": (COMPENSABLE, "Another push takes a change back."),
    "send_mail": (COMPENSABLE, "A second mail sets a wrong one right; the first was read."),
    "book_refund": (COMPENSABLE, "A counter-booking takes a refund back."),
    "revert_refund": (COMPENSABLE, "Another refund pays back again."),
    "store_refund": (COMPENSABLE, "A second document corrects the first, which stays."),
    "answer_ticket": (COMPENSABLE, "Another answer corrects the first, which was read."),
}


def make(tenants: Iterable[Tenant], *, actor: Actor) -> None:
    """Say it once; what people said since stays."""
    for tenant in tenants:
        said = {each.tool for each in reversibility.classes_of(tenant)}
        for tool, (what, why) in CLASSES.items():
            if tool not in said:
                reversibility.set_class(tenant, tool, what, actor=actor, why=why)
