"""The engine from a shell: start, cancel, show, verify, sweep."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from checkpoints.models import Run
from tests.checkpoints import tampering
from tests.engine.turns import Bench
from tests.execution.runs import full, waiting


def say(*arguments: object) -> str:
    """What a command prints."""
    out = StringIO()
    call_command(*map(str, arguments), stdout=out)
    return out.getvalue()


def test_start_starts_a_run_and_finds_it_again(engine: Bench) -> None:
    slug = engine.tenant.slug
    given = ("start", slug, "steps", "key-1", "--input", '{"steps":2}', "--as", "ada@example.org")
    said = say(*given)
    run = Run.objects.get()
    assert said == f"{run.id} started\n"
    assert (run.caller, run.channel, bytes(run.input)) == ("Ada", "command line", b'{"steps":2}')
    assert say(*given) == f"{run.id} exists: queued\n"


def test_start_reads_its_input_from_a_file(engine: Bench, tmp_path: Path) -> None:
    (tmp_path / "input.json").write_text('{"steps": 7}')
    say("start", engine.tenant.slug, "steps", "k", "--input", f"@{tmp_path}/input.json")
    assert bytes(Run.objects.get().input) == b'{"steps":7}'


def test_a_start_says_what_may_go_first(engine: Bench) -> None:
    say("start", engine.tenant.slug, "steps", "k", "--not-critical")
    assert not Run.objects.get().critical


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["nowhere", "steps", "k"], "no tenant 'nowhere'; there are: "),
        (["{}", "nonsense", "k"], "unknown task type 'nonsense'; known: "),
        (["{}", "steps", "k", "--input", "{"], "not strict JSON"),
        (["{}", "steps", "k", "--as", "nobody@example.org"], "no active person"),
        (["{}", "steps", " "], "1 to 200 characters"),
    ],
)
def test_start_refuses_with_a_sentence(engine: Bench, arguments: list[str], says: str) -> None:
    with pytest.raises(CommandError, match=says):
        say(
            "start",
            *(part.replace("{}", engine.tenant.slug) for part in arguments[:1]),
            *arguments[1:],
        )
    assert not Run.objects.exists()


def test_cancel_asks_and_says_where_the_run_is(engine: Bench) -> None:
    run = engine.start()
    assert "will end at its next boundary; now it is queued" in say("cancel", run.id, "--why", "x")
    engine.turn()
    assert full(run).status == "cancelled"
    with pytest.raises(CommandError, match="ended already: cancelled"):
        say("cancel", run.id, "--why", "x")


def test_show_tells_a_run_as_text(engine: Bench) -> None:
    run = waiting(engine)
    said = say("show", run.id)
    assert "waiting  for_approval  Waits for a yes: write a-0" in said
    assert "head 6, next act, fence 1" in said
    assert "#6 " in said
    assert "write a-0: proposed" in said


def test_verify_of_an_intact_record_says_so(engine: Bench) -> None:
    waiting(engine)
    assert say("verify", "--all") == "1 runs checked, 0 damaged\n"
    assert json.loads(say("verify", "--all", "--json")) == {"checked": 1, "damaged": {}}


@pytest.mark.parametrize("damage", ["change_the_state", "rewrite_without_a_parent"])
def test_verify_names_the_damage_and_ends_with_1(engine: Bench, damage: str) -> None:
    run = waiting(engine)
    waiting(engine)
    tampering.STATES[damage](full(run), 4)
    out = StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("verify", "--all", "--json", stdout=out)
    told = json.loads(out.getvalue())
    assert (ended.value.code, told["checked"]) == (1, 2)
    assert told["damaged"][str(run.id)][0].startswith("checkpoint 4: ")


def test_one_round_of_the_sweeper_says_what_it_did(engine: Bench) -> None:
    engine.start()
    engine.acquire()
    assert "lapse unlocked: 1\n" in say("sweep", "--once")


@pytest.mark.parametrize("command", ["show", "cancel", "verify"])
def test_a_run_nobody_knows_is_said(engine: Bench, command: str) -> None:
    unknown = "00000000-0000-7000-8000-000000000000"
    more = {"cancel": ["--why", "x"], "verify": []}.get(command, [])
    target = ["--run", unknown] if command == "verify" else [unknown]
    with pytest.raises(CommandError):
        say(command, *target, *more)
