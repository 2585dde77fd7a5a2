"""Every command that a document names exists, and says what it is for."""

import re
import subprocess
from pathlib import Path

import pytest
from django.core.management import get_commands, load_command_class

ROOT = Path(__file__).resolve().parent.parent.parent
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
TEXTS = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in DOCUMENTS}


def _named(pattern: str) -> set[str]:
    return {name for text in TEXTS.values() for name in re.findall(pattern, text, re.MULTILINE)}


MANAGE = sorted(_named(r"`manage\.py ([a-z_]+)"))
MAKE = sorted(_named(r"(?:`|^)make ([a-z]+)"))


def test_the_documents_name_commands() -> None:
    assert {"verify", "stop", "start", "show", "cancel"} <= set(MANAGE)
    assert {"up", "test", "crash", "bench", "help"} <= set(MAKE)


@pytest.mark.parametrize("name", MANAGE)
def test_a_named_management_command_exists_and_explains_itself(name: str) -> None:
    command = load_command_class(get_commands()[name], name)
    assert command.help


@pytest.mark.parametrize("name", MAKE)
def test_a_named_make_target_exists(name: str) -> None:
    listed = subprocess.run(
        ["make", "--no-print-directory", "help"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    assert name in {line.split()[0] for line in listed.stdout.splitlines() if line.strip()}


def test_every_slow_test_is_run_by_a_make_target() -> None:
    """`make slow` leaves out only folders that another target runs."""
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    (line,) = [line for line in text.splitlines() if "--ignore=" in line]
    assert " -m slow " in line
    for folder in re.findall(r"--ignore=(\S+)", line):
        assert re.search(rf"-m slow {folder}$", text, re.MULTILINE), folder


@pytest.mark.parametrize("document", TEXTS)
def test_a_link_to_a_file_leads_to_one(document: str) -> None:
    folder = (ROOT / document).parent
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", TEXTS[document]):
        if "://" not in target:
            assert (folder / target).exists(), target


@pytest.mark.parametrize("document", TEXTS)
def test_a_test_that_a_document_names_exists(document: str) -> None:
    for target in re.findall(r"`(tests/[^`*]+)`", TEXTS[document]):
        # What stands behind "::" is looked for by tests/docs/test_scenarios.py.
        assert (ROOT / target.split("::")[0]).exists(), f"{document}: {target}"
