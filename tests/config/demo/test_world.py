"""The outside world is counted where it is: in the remotes and in the mailbox."""

from pathlib import Path

import pytest

from agents import mailsink
from config.demo import arrivals, world
from config.demo.arrivals import Unreadable
from config.demo.twin import asked
from config.demo.twin.asked import Asked
from tests.agents.git_fixtures import commit

KEY = "modern-python/rq"


@pytest.fixture
def mailbox(demo: Path) -> Path:
    for part in ("tmp", "new", "cur"):
        (demo / "mail" / part).mkdir(parents=True)
    return demo / "mail"


def note(kind: str, action: str, *, tenant: str = "harbour", key: str = KEY) -> None:
    what = "rq" if kind == "push" else "noor@kedge.example"
    asked.note(Asked(tenant, key, kind, what, run="1", action=action))


def push(remotes: Path, slug: str, times: int, key: str = KEY) -> None:
    for number in range(times):
        message = f"Change\n\nFleet-Change: {key}\n"
        commit(str(remotes / slug / "rq.git"), {f"new-{number}.py": str(number)}, message=message)


def mail(mailbox: Path, sender: str, campaign: str = "modern-python") -> None:
    content = f"From: {sender}\r\nSubject: rq: ruff UP\r\n\r\nDone.\r\n\r\nCampaign: {campaign}\r\n"
    mailsink.keep(mailbox, "noor@kedge.example", content.encode())


def test_pushes_are_commits_with_the_line_of_the_business_key(
    small_remotes: Path, mailbox: Path
) -> None:
    push(small_remotes, "harbour", 1)
    push(small_remotes, "harbour", 1, key=f"{KEY}-2")
    push(small_remotes, "harbour-twin", 2)
    quoted = f"Revert\n\nIt said: Fleet-Change: {KEY}\n"
    commit(str(small_remotes / "harbour" / "rq.git"), {"x.py": "x"}, message=quoted)
    note("push", "a")
    (row,) = world.look().rows
    assert (row.asked, row.kedge, row.twin, row.is_doubled) == (1, 1, 2, True)


def test_mails_are_known_by_their_sender_and_campaign(demo: Path, mailbox: Path) -> None:
    mail(mailbox, "fleet-change@kedge.example")
    for _ in range(3):
        mail(mailbox, "plain-retry@kedge.example")
    mail(mailbox, "plain-retry@kedge.example", campaign="another")
    mail(mailbox, "stranger@kedge.example")
    note("mail", "a")
    (row,) = world.look().rows
    assert (row.asked, row.kedge, row.twin) == (1, 1, 3)


def test_what_was_asked_and_did_not_arrive_is_a_zero(small_remotes: Path, mailbox: Path) -> None:
    note("push", "a")
    note("mail", "b")
    found = world.look()
    assert [(row.kedge, row.twin) for row in found.rows] == [(0, 0), (0, 0)]
    assert [found.total(side) for side in ("asked", "kedge", "twin")] == [2, 0, 0]


def test_a_remote_that_is_gone_is_not_a_zero(demo: Path, mailbox: Path) -> None:
    note("push", "a")
    found = world.look()
    assert (found.rows[0].kedge, found.rows[0].twin) == (None, None)
    assert found.unreadable == ("rq: CalledProcessError",)


def test_a_mailbox_that_is_gone_is_not_a_zero(demo: Path) -> None:
    note("mail", "a")
    found = world.look()
    assert (found.rows[0].kedge, found.rows[0].twin) == (None, None)
    assert found.unreadable
    with pytest.raises(Unreadable):
        arrivals.mailed()


def test_a_tenant_sees_its_own_part(small_remotes: Path, mailbox: Path) -> None:
    note("push", "a")
    note("push", "b", tenant="northsea", key="spring-cleaning/rq")
    mine = world.look().of(["harbour"])
    assert [row.tenant for row in mine.rows] == ["harbour"]
    assert mine.unreadable == ("rq: CalledProcessError",)


def test_one_look_serves_a_second(small_remotes: Path, mailbox: Path) -> None:
    note("push", "a")
    first = world.seen()
    push(small_remotes, "harbour", 1)
    assert world.seen() is first
