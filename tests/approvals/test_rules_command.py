"""`manage.py rules`: what is wrong, where, and what to do; exit 1 when a document is refused."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from tests import ground
from tests.approvals.rulebooks import EXAMPLES, PLAIN, book
from tests.people import dee, make_tenant


def run(*args: object) -> tuple[int, str]:
    out, code = StringIO(), 0
    try:
        call_command("rules", *map(str, args), stdout=out)
    except SystemExit as end:
        code = int(end.code or 0)
    return code, out.getvalue()


def written(tmp_path: Path, content: Any) -> Path:
    file = tmp_path / "rules.json"
    file.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return file


def test_a_good_document_can_be_used(tmp_path: Path) -> None:
    assert run("check", written(tmp_path, book(*EXAMPLES))) == (0, "These rules can be used.\n")


@pytest.mark.parametrize("task_type", ["fleet_change", "repository_report", "revert_change"])
def test_the_rules_of_every_task_can_be_used(task_type: str) -> None:
    assert run("check", ground.ROOT / "agents" / task_type / "rules.json")[0] == 0


def test_every_fault_is_told_with_its_place_and_a_next_step(tmp_path: Path) -> None:
    faulty = {**PLAIN, "people": 0, "who": {"group": ""}}
    code, said = run("check", written(tmp_path, book(faulty)))
    assert code == 1
    assert "/rules/0/people must be a whole number from 1 to 20, not 0." in said
    assert "/rules/0/who/group must be text" in said
    assert "These rules can be used." not in said


def test_machines_get_one_json_object(tmp_path: Path) -> None:
    code, said = run("check", written(tmp_path, book({**PLAIN, "people": 0})), "--json")
    told = json.loads(said)
    assert code == 1
    assert [each["path"] for each in told["problems"]] == ["/rules/0/people"]
    assert all(each["said"] and each["do"] for each in told["problems"])
    assert told["warnings"] == []


@pytest.mark.parametrize("content", ["{", '{"rules_schema":2,"rules_schema":2,"rules":[]}', "[]"])
def test_what_is_not_strict_json_or_no_document_is_refused(tmp_path: Path, content: str) -> None:
    assert run("check", written(tmp_path, content))[0] == 1


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="cannot be read"):
        run("check", tmp_path / "none.json")


@pytest.mark.django_db
def test_a_tenants_people_are_looked_at(tmp_path: Path) -> None:
    tenant, file = make_tenant(), written(tmp_path, book(PLAIN))
    code, said = run("check", file, "--tenant", tenant.slug)
    assert code == 1
    assert "/rules/0 The rule “a-person” asks 1" in said
    dee(tenant)
    assert run("check", file, "--tenant", tenant.slug)[0] == 0
    with pytest.raises(CommandError, match="no tenant 'nowhere'"):
        run("check", file, "--tenant", "nowhere")


@pytest.mark.django_db
def test_the_class_of_a_tool_is_said_and_listed() -> None:
    slug = make_tenant().slug
    assert run("class", "pay", "compensable", "--tenant", slug, "--why", "Paid back.") == (
        0,
        "pay is compensable at acme\n",
    )
    assert run("classes", "--tenant", slug)[1].splitlines() == [
        "pay\tcompensable\tcommand line\tPaid back.",
        "Every other tool is irreversible.",
    ]
    with pytest.raises(CommandError):
        run("class", "pay", "compensable", "--tenant", slug, "--why", " ")
