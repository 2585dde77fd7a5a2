"""Text that others wrote is shown through one filter, on every page, and never as markup elsewhere."""

import re

import pytest

from tests.ui.untrusted import ROOT, Printed, printed

# Names that hold what an agent, a person, a repository or another system wrote, wherever they occur.
UNTRUSTED = {
    *(
        "describe",
        "target",
        "sentence",
        "summary",
        "note",
        "reason",
        "why",
        "said",
        "detail",
        "message",
    ),
    *(
        "business_key",
        "key",
        "path",
        "name",
        "old_name",
        "new_name",
        "section",
        "text",
        "title",
        "whole",
    ),
    *("value", "old", "new", "old_mode", "new_mode", "by", "closed_by", "closed_because"),
    *(
        "given_by",
        "given_to",
        "user",
        "who",
        "email",
        "owner",
        "caller",
        "on_behalf_of",
        "approver",
    ),
    *(
        "task_type",
        "task",
        "tool",
        "node",
        "next_node",
        "acting_credential",
        "credential",
        "subject",
    ),
    *("headline", "follows", "caption", "help_text", "source", "exception", "reference", "q"),
}

# Printed as it is, each for a reason.
AS_IT_IS = {
    ("components/copy.html", "value"): "copied, not read: the very bytes, in an attribute",
    ("components/buttons.html", "button.name"): "the name of a form's field, in an attribute",
    ("components/buttons.html", "button.value"): "posted, not read, in an attribute",
    ("components/bar.html", "request.GET.q"): "what this person searched for, in their own field",
    ("approvals/_tool_change.html", "preview.tool"): "posted, not read, in an attribute",
    ("execution/_standing_stop.html", "field.value"): "posted, not read, in an attribute",
    ("execution/_stop_form.html", "value"): "posted, not read, in an attribute",
    ("reconciliation/credentials.html", "each.tool"): "posted, not read, in an attribute",
    ("reconciliation/doors.html", "door.tool"): "posted, not read, in an attribute",
    ("tenants/audit.html", "name"): "sent back as it came, in an attribute",
    ("tenants/audit.html", "value"): "sent back as it came, in an attribute",
    ("tenants/notifications.html", "row.path"): "an address of ours, in an attribute",
}


def is_widget(each: Printed) -> bool:
    """A field of a form: Django prints it, and escapes what it holds."""
    return re.search(r"(^|_|\.)form\.\w+$", each.variable) is not None


@pytest.mark.parametrize("template", sorted({each.template for each in printed()}))
def test_untrusted_text_is_printed_through_the_filter_only(template: str) -> None:
    bare = {
        each.variable
        for each in printed()
        if each.template == template and each.last in UNTRUSTED and not each.is_marked
        if (template, each.variable) not in AS_IT_IS and not is_widget(each)
    }
    assert not bare, f"print {sorted(bare)} with shown, brief, told or (in attributes) visible"


def test_every_exception_is_still_needed() -> None:
    bare = {(each.template, each.variable) for each in printed() if not each.is_marked}
    assert set(AS_IT_IS) - bare == set()


@pytest.mark.parametrize(
    "path", sorted(ROOT.rglob("*.html")), ids=lambda path: str(path.relative_to(ROOT))
)
def test_markup_of_marks_stands_in_no_title_and_no_attribute(path) -> None:  # type: ignore[no-untyped-def]
    text = path.read_text(encoding="utf-8")
    title = re.search(r"{% block title %}(.*?){% endblock title %}", text, re.DOTALL)
    marks = r"\|(?:shown|brief|told)\b"
    assert not (title and re.search(marks, title[1]))
    assert not re.search(r'\s[a-z-]+="(?:[^"{<>]|{[^{%])*{{[^}]*' + marks, text)


def test_nothing_is_called_safe_in_a_template() -> None:
    unsafe = [each for each in printed() if {"safe", "safeseq", "mark_safe"} & set(each.filters)]
    assert not unsafe
    for path in ROOT.rglob("*.html"):
        assert "{% autoescape" not in path.read_text(encoding="utf-8")
