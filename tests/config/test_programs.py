"""The program list: who needs what, and who outlives whom."""

from django.conf import settings
from django.core.management import get_commands
from pytest_django.fixtures import Settings

from config import programs


def by_name(commands: object = ("work", "sweep", "mailsink")) -> dict[str, programs.Program]:
    return {program.name: program for program in programs.ours(commands)}  # type: ignore[arg-type]


def test_every_command_a_program_needs_exists() -> None:
    assert list(by_name(get_commands())) == ["web", "worker", "sweeper"]


def test_a_program_without_its_command_is_left_out() -> None:
    assert list(by_name(())) == ["web"]


def test_the_mail_sink_runs_in_the_demo_and_outlives_the_workers(settings: Settings) -> None:
    settings.KEDGE_MAIL_SINK = True
    listed = programs.ours(("work", "sweep", "mailsink"))
    assert [program.group for program in listed] == ["mail", "kedge", "kedge", "kedge"]


def test_a_worker_may_end_a_node_before_it_is_killed() -> None:
    assert by_name()["worker"].stop_seconds > settings.PRACTICE["timeout_seconds"]
    assert by_name()["worker"].copies == 2


def test_nothing_that_advances_runs_owns_tables() -> None:
    roles = {name: program.role for name, program in by_name().items()}
    assert roles == {"web": "web", "worker": "worker", "sweeper": "worker"}
