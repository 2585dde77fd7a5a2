"""The templates and styles as files: documented, small, nothing inline, every name known."""

import re
from pathlib import Path

import pytest
from django.template.loader import get_template

ROOT = Path(__file__).resolve().parents[2]
TEMPLATES = sorted((ROOT / "templates" / "components").glob("*.html"))
BASE = ROOT / "templates" / "base.html"
CSS = sorted((ROOT / "static" / "css").glob("*.css"))
ICONS = (ROOT / "static" / "icons" / "icons.svg").read_text()


@pytest.mark.parametrize("path", [BASE, *TEMPLATES], ids=lambda path: path.name)
def test_template_says_what_it_is_for_and_what_it_needs(path: Path) -> None:
    text = re.sub(r"^{% extends [^%]+%}\n", "", path.read_text())
    comment = re.match(r"{% comment %}(.+?){% endcomment %}", text, re.DOTALL)
    assert comment, "starts without a comment"
    assert path.name.startswith("gallery_") or "ontext" in comment[1]


@pytest.mark.parametrize("path", [BASE, *TEMPLATES], ids=lambda path: path.name)
def test_template_compiles_and_carries_nothing_inline(path: Path) -> None:
    get_template(str(path.relative_to(ROOT / "templates")))
    text = path.read_text()
    assert not re.search(r"<style|<script(?! src)|\sstyle=|\son[a-z]+=|hx-on|javascript:", text)
    assert len(text.splitlines()) <= 80


@pytest.mark.parametrize("path", CSS, ids=lambda path: path.name)
def test_style_sheet_lies_in_a_layer_and_is_loaded(path: Path) -> None:
    text = path.read_text()
    assert re.search(r"^@layer (reset|tokens|base|components|pages) {$", text, re.MULTILINE)
    assert len(text.splitlines()) <= 300
    assert f'css/{path.name}"' in (ROOT / "templates" / "components" / "styles.html").read_text()


def test_every_icon_that_is_asked_for_is_drawn() -> None:
    sources = [BASE, *TEMPLATES, ROOT / "tenants" / "pills.py"]
    text = "".join(path.read_text() for path in sources)
    asked = set(re.findall(r'{% icon "(\w+)" %}', text))
    asked |= set(re.findall(r'Pill\(_\("[^"]+"\), "\w+", "(\w+)"', text))
    drawn = set(re.findall(r'<symbol id="(\w+)"', ICONS))
    assert asked - drawn == set()
    assert len(asked) > 15


def test_every_class_of_a_component_is_styled() -> None:
    html = "".join(path.read_text() for path in [BASE, *TEMPLATES])
    html = re.sub(r"{[%{].*?[%}]}", " ", html)
    used = {name for names in re.findall(r'class="([^"]*)"', html) for name in names.split()}
    css = "".join(path.read_text() for path in CSS)
    styled = set(re.findall(r"\.([a-z][a-z-]*)", css))
    assert {name for name in used if not name.endswith("-")} - styled == set()
