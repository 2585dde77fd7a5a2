"""The colours themselves: enough contrast in both themes, and one meaning per tone."""

import re
from pathlib import Path

import pytest

from tenants.pills import PILLS, TONES

CSS = Path(__file__).resolve().parents[2] / "static" / "css"
PAIR = re.compile(r"--([a-z0-9-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)")
TOKENS = {
    name: (light, dark) for name, light, dark in PAIR.findall((CSS / "tokens.css").read_text())
}

SURFACES = ("paper", "surface", "sunk", "hover")
READ = [
    *((text, on) for text in ("ink", "ink-2", "ink-3") for on in SURFACES),
    *((tone, f"{tone}-tint") for tone in TONES),
    *((tone, "surface") for tone in TONES),
    ("on-ink", "ink"),
    ("on-ink", "ink-hover"),
    ("on-ink", "ink-2"),
    ("on-mark", "mark"),
    ("on-person", "person-solid"),
    *((text, on) for on in ("put-in", "took-out") for text in ("ink", f"{on}-ink")),
    ("put-in-ink", "put-in-strong"),
    ("took-out-ink", "took-out-strong"),
    ("put-in-ink", "sunk"),
    ("took-out-ink", "sunk"),
]
SEEN = [("line-strong", "surface"), ("line-strong", "paper")]


def contrast(first: str, second: str) -> float:
    lighter, darker = sorted((luminance(first), luminance(second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_every_text_can_be_read(theme: int) -> None:
    ratios = {pair: contrast(*(TOKENS[name][theme] for name in pair)) for pair in READ}
    assert {pair: ratio for pair, ratio in ratios.items() if ratio < 4.5} == {}


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_every_edge_of_a_control_can_be_seen(theme: int) -> None:
    ratios = {pair: contrast(*(TOKENS[name][theme] for name in pair)) for pair in SEEN}
    assert {pair: ratio for pair, ratio in ratios.items() if ratio < 3} == {}


def test_colours_stand_in_the_tokens_only() -> None:
    strangers = {
        path.name: found
        for path in CSS.glob("*.css")
        if path.name != "tokens.css"
        and (
            found := re.findall(
                r"#[0-9a-fA-F]{3,8}\b(?=[;\s,)])|rgb\(|hsl\(|oklch\(", path.read_text()
            )
        )
    }
    assert strangers == {}


def test_violet_says_outcome_unknown_and_nothing_else() -> None:
    assert [code for code, pill in PILLS.items() if pill.tone == "unknown"] == ["unknown"]
    assert "var(--unknown" not in "".join(
        path.read_text() for path in CSS.glob("*.css") if path.name != "tokens.css"
    )


def test_red_says_that_a_person_is_needed_and_nothing_else() -> None:
    red = {code for code, pill in PILLS.items() if pill.tone == "person"}
    gates = {"worse", "telemetry_broken", "arms_not_comparable", "gates_stop"}
    twins = {f"twin_{how}" for how in ("different", "extra", "missing", "trouble")}
    runs = {"held", "open", "stuck", "ready", "stopped"}
    assert red == runs | gates | twins | {"rollback_paused"}
