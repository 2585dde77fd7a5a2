"""An exported chain proves itself without the database, and every tampering with the file is found."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from tenants.trail import heads
from tenants.trail.chainfile import BadChainFile, verify_lines
from tenants.trail.verifying import Report
from tests.people import make_tenant
from tests.tenants.trail.test_heads import grow, grow_and_sign

pytestmark = pytest.mark.django_db

Json = Any


@pytest.fixture
def lines(tmp_path: Path) -> list[str]:
    """Four signed rows, then two more that are only linked."""
    acme = make_tenant()
    grow_and_sign(acme, 4)
    grow(acme, 2)
    path = tmp_path / "acme.jsonl"
    call_command("audit", "export", "--tenant", "acme", "-o", str(path))
    return path.read_text().splitlines()


def proof(lines: list[str]) -> Report:
    return verify_lines(lines, heads.believed())[1]


def test_a_file_as_exported_is_intact(lines: list[str]) -> None:
    whose, report = verify_lines(lines, heads.believed())
    assert whose["slug"] == "acme"
    assert (report.links, report.signed_to, report.problems) == (6, 4, [])


@pytest.mark.parametrize("number", range(2, 8))
@pytest.mark.parametrize("member", ["position", "previous", "content", "digest", "row"])
def test_any_changed_link_is_found(lines: list[str], number: int, member: str) -> None:
    line = json.loads(lines[number])
    value = line["link"][member]
    if member == "position":
        line["link"][member] = value + 1
    elif member == "row":
        line["link"]["row"]["subject"] = "action:9"
    else:
        line["link"][member] = "0" * 64 if value != "0" * 64 else "1" * 64
    lines[number] = json.dumps(line)
    assert proof(lines).problems


@pytest.mark.parametrize("number", range(2, 9))
def test_any_dropped_line_is_found(lines: list[str], number: int) -> None:
    del lines[number]
    assert proof(lines).problems


def test_two_links_exchanged_are_found(lines: list[str]) -> None:
    lines[6], lines[7] = lines[7], lines[6]
    assert proof(lines).problems


def test_a_head_dropped_from_the_file_makes_it_unreadable(lines: list[str]) -> None:
    with pytest.raises(BadChainFile, match="a head is missing"):
        proof([lines[0], *lines[2:]])


def test_a_signed_end_that_was_cut_off_is_found_though_the_last_line_was_mended(
    lines: list[str],
) -> None:
    shorter = [*lines[:5], json.dumps({"end": 3})]
    assert "its end was cut off" in proof(shorter).problems[0].sentence


@pytest.mark.parametrize("member", ["installation", "tenant"])
def test_a_chain_cannot_be_passed_off_as_that_of_another(lines: list[str], member: str) -> None:
    first = json.loads(lines[0]) | {member: 999}
    assert "of another chain" in proof([json.dumps(first), *lines[1:]]).problems[0].sentence


@pytest.mark.parametrize(
    "text", [[], ["{}"], ["x"], ["[]"], ['{"format": "kedge-audit/1", "heads": 0, "installation": "", "tenant": 1}', "{}"]]
)  # fmt: skip
def test_what_is_no_chain_is_said_to_be_none(text: list[str]) -> None:
    with pytest.raises(BadChainFile):
        proof(text)


def test_the_command_names_the_position_and_ends_with_one(
    lines: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = json.loads(lines[4])
    line["link"]["row"]["verb"] = "reject"
    lines[4] = json.dumps(line)
    forged = tmp_path / "forged.jsonl"
    forged.write_text("\n".join(lines))
    with pytest.raises(SystemExit) as ended:
        call_command("audit", "verify", "--file", str(forged))
    assert ended.value.code == 1
    assert "acme: position 3: Row" in capsys.readouterr().out


def test_the_command_reads_every_chain_of_the_database(
    lines: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("audit", "verify", "--all", "--json")
    told = json.loads(capsys.readouterr().out)
    assert told["acme"] == {"intact": True, "rows": 6, "signed_to": 4, "heads": 1, "problems": []}
    assert told["installation"]["intact"]


def test_the_command_believes_the_keys_it_is_told_and_no_other(
    lines: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    other = "b25seS1mb3ItdGhlLWNoZWNrLTAxMjM0NTY3ODlhYmM="
    with pytest.raises(SystemExit):
        call_command("audit", "verify", "--tenant", "acme", "--public-key", other)
    call_command("audit", "key")
    ours = capsys.readouterr().out.splitlines()[-1].split()[0]
    call_command("audit", "verify", "--tenant", "acme", "--public-key", ours)
    with pytest.raises(CommandError, match="not base64"):
        call_command("audit", "verify", "--tenant", "acme", "--public-key", "!")


def test_heads_are_listed_and_an_unknown_tenant_is_said(
    lines: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("audit", "heads", "--tenant", "acme")
    assert json.loads(capsys.readouterr().out)["position"] == 4
    with pytest.raises(CommandError, match="no tenant 'nobody'"):
        call_command("audit", "heads", "--tenant", "nobody")


def test_signing_later_covers_what_was_only_linked(lines: list[str]) -> None:
    heads.sign_due(after=timedelta())
    call_command("audit", "verify", "--tenant", "acme")
