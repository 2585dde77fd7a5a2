"""What `up` runs beside the rest in the demo, and nowhere else."""

from django.core.management import get_commands
from pytest_django import Settings

from config import programs


def by_name() -> dict[str, programs.Program]:
    return {program.name: program for program in programs.ours(get_commands())}


def test_the_twin_runs_in_the_demo_alone(settings: Settings) -> None:
    settings.KEDGE_DEMO = False
    assert "twin" not in by_name()
    settings.KEDGE_DEMO = True
    assert by_name()["twin"].role == "owner"


def test_workers_look_for_plugs_in_the_demo_alone(settings: Settings) -> None:
    settings.KEDGE_DEMO = False
    assert by_name()["worker"].environment == {}
    settings.KEDGE_DEMO = True
    assert by_name()["worker"].environment["KEDGE_PLUGS"] == str(settings.VAR_DIR / "plugs")
