"""The demo's refund desk: real programs, filled once; and a demo without it says so."""

import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from django.conf import settings as configured
from pytest_django import Settings

from agents.refund_desk import amounts
from canonical.json import loads_object
from checkpoints.models import Run
from checkpoints.registry import combo_of
from config import programs
from config.demo import card, people
from config.demo.desk import filling, places, tickets
from config.demo.desk import programs as desk_programs
from config.demo.desk.cases import CARELESS, CASES
from config.demo.desk.places import Desk
from config.embedded import processes
from tenants.models import User
from tests import ground
from tests.ports import free_ports


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """Tracker and store as the supervisor would run them, on ports of this test's own."""
    made = Desk(tmp_path_factory.mktemp("desk"), free_ports(places.PORTS).start, "s" * 64)
    with ExitStack() as stack:
        for program in desk_programs.of(made):
            # What they write is shown with a test that fails.
            server = subprocess.Popen(
                processes.tied(program.command, signal="KILL"),
                cwd=ground.ROOT,
                start_new_session=True,
            )
            stack.callback(server.wait)
            stack.callback(server.kill)
        yield made


def test_what_signs_in_is_readable_for_nobody_else(desk: Desk) -> None:
    for file in (desk.login, desk.identities):
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert desk.secret in file.read_text()
    assert desk.secret not in " ".join(
        word for program in desk_programs.of(desk) for word in program.command
    )


def test_it_is_filled_once_however_often(
    desk: Desk, operator: User, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    assert filling.fill(desk, said.append) == len(CASES)
    assert filling.fill(desk, said.append) == 0
    assert said == []
    given = {run.business_key: loads_object(bytes(run.input)) for run in Run.objects.all()}
    assert {key: it["ticket"] for key, it in given.items()} == {
        case.business_key: tickets.number_of(desk, case) for case in CASES
    }
    careless = Run.objects.filter(combo=combo_of("refund_desk", CARELESS))
    assert [run.business_key for run in careless] == ["refund/H-1003"]
    assert set(Run.objects.values_list("started_by", flat=True)) == {None}


def test_a_desk_whose_systems_stay_away_is_said_and_stops_nothing(
    operator: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(filling, "PATIENCE_SECONDS", 0.0)
    said: list[str] = []
    assert filling.fill(Desk(tmp_path, free_ports(places.PORTS).start, "s"), said.append) == 0
    assert "does not answer" in said[0]
    assert not Run.objects.exists()


def test_tickets_are_of_both_tenants_and_no_two_want_the_same() -> None:
    assert {case.shop for case in CASES} == set(people.TENANTS) == set(places.TENANTS)
    assert len({case.cents for case in CASES}) == len(CASES)
    assert len({case.purchase for case in CASES}) == len(CASES)
    odd = [case for case in CASES if {*amounts.named_in(case.said)} - {case.cents}]
    assert [case.purchase for case in odd] == ["H-1004"]


def test_its_secret_lasts_as_long_as_the_installations(tmp_path: Path) -> None:
    one, same = (places.desk(tmp_path, 8740, "key") for _ in range(2))
    assert one == same
    assert places.desk(tmp_path, 8740, "another").secret != one.secret
    values = one.values(configured.PLACES)
    assert values["KEDGE_BOOKS__HARBOUR"] != values["KEDGE_BOOKS__NORTHSEA"]
    assert "kedge_books@" in values["KEDGE_BOOKS__HARBOUR"]


def test_its_programs_are_those_of_the_demo_alone(settings: Settings) -> None:
    settings.DESK = None
    assert {"tickets", "store"}.isdisjoint(program.name for program in programs.ours(("work",)))


@pytest.mark.django_db
def test_a_demo_without_it_says_so_on_the_card(operator: User, settings: Settings) -> None:
    settings.DESK = None
    assert "4  No refund desk here" in card.text()


@pytest.mark.parametrize(
    ("env", "there"),
    [
        ({"KEDGE_DEMO": "1"}, "True True"),
        ({"KEDGE_DEMO": "1", "KEDGE_REFUND_DESK": "0"}, "False False"),
        ({"KEDGE_DEMO": "1", "DATABASE_URL": "postgresql://kedge@db.example/kedge"}, "False False"),
        ({}, "False False"),
    ],
)
def test_it_is_there_in_a_demo_with_a_database_of_its_own(env: dict[str, str], there: str) -> None:
    code = "from config import settings as s; print(s.KEDGE_REFUND_DESK, s.DESK is not None)"
    with ground.open_folder() as var:
        done = subprocess.run(
            [sys.executable, "-c", code],
            cwd=ground.ROOT,
            env={"PATH": "/usr/bin:/bin", "KEDGE_VAR": str(var), **env},
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.stdout.strip() == there, done.stderr
