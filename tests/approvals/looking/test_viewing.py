"""What a model is given of a question: what its page shows, redacted, and nothing that is not there."""

import pytest

from approvals.looking import viewing
from approvals.showing import coverage
from tests.approvals.asking import asked_about, git_diff

pytestmark = pytest.mark.django_db


def test_facts_parameters_and_every_file_are_parts_of_it() -> None:
    asked = asked_about(git_diff(3), describe="Push 3 files", parameters=b'{"branch":"main"}')
    text = viewing.of(asked).text
    assert "What would happen: Push 3 files" in text
    assert 'added /branch: "main"' in text
    for path in (".github/workflows/release.yml", "src/module_0.py", "src/module_1.py"):
        assert f"part {path}\n" in text
    assert text.index("release.yml") < text.index("module_0.py")
    assert "-old_0 = 'x'" in text
    assert "+new_0 = f'y'" in text


def test_a_line_of_a_file_leads_to_the_part_of_its_page() -> None:
    asked = asked_about(git_diff(3))
    names = {part.name for part in coverage.parts(asked)}
    lines = [line for line in viewing.of(asked).lines if line.text.startswith(("+", "-"))]
    assert len(lines) == 12
    assert {line.part for line in lines} <= names
    assert (lines[0].old, lines[1].new) == (1, 1)


def test_a_large_change_is_bounded_and_says_what_is_missing() -> None:
    asked = asked_about(git_diff(400, lines=20))
    shown = viewing.of(asked)
    assert len(shown.text) < 26_000
    assert shown.left_out.parts > 300
    named = {line.path for line in shown.lines} - {"facts", "parameters"}
    assert shown.left_out.parts + len(named) == 400


def test_a_long_file_counts_the_lines_that_are_left_out() -> None:
    asked = asked_about(git_diff(1, lines=5_000))
    shown = viewing.of(asked)
    rows = sum(line.path.endswith("release.yml") for line in shown.lines)
    assert shown.left_out.lines == 10_001 - rows


@pytest.mark.parametrize(
    ("diff", "media", "said"),
    [
        (b'{"before":{"limit":1},"after":{"limit":2}}', "application/json", "/limit: 1 becomes 2"),
        (b"Subject: hello\n\nDear Noor\n", "text/plain", "Dear Noor"),
        (b"not json at all", "application/json", "not json at all"),
    ],
)
def test_other_changes_are_shown_as_their_pages_show_them(
    diff: bytes, media: str, said: str
) -> None:
    asked = asked_about(diff, media)
    assert said in viewing.of(asked).text
