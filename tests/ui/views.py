"""Views of the style page. They exist in tests only."""

from typing import Any

from django import forms
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from canonical.diffs import classes, parse_unified
from tenants.models import User
from tests.ui import samples

STRICT = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"


class DecisionForm(forms.Form):
    """A form with every kind of field, posted empty so that its errors show."""

    reason = forms.CharField(
        label="Reason",
        help_text="One sentence. It stands in the audit trail.",
        widget=forms.Textarea(attrs={"rows": 2}),
    )
    ticket = forms.CharField(label="Ticket", required=False)
    verdict = forms.ChoiceField(
        label="Verdict", choices=[("happened", "It happened"), ("not", "It did not happen")]
    )


@login_not_required
def gallery(request: HttpRequest) -> HttpResponse:
    """Every component in every state."""
    files = samples.files()
    now = timezone.now()
    context: dict[str, Any] = {
        "user": User(email="ada@example.org", name="Ada Operator"),
        "section": "needs",
        "nav": {
            "tenant": samples.ACME,
            "tenants": samples.TENANTS,
            "waiting": 3,
            "stops": [
                {
                    "sentence": "Effects are stopped for Acme Shipping.",
                    "by": "Dee",
                    "at": now,
                    "reason": "the payment provider answers twice",
                    "url": "#stop",
                }
            ],
        },
        "form": DecisionForm({"verdict": "happened"}),
        "fine_form": DecisionForm(),
        "files": files,
        "summaries": [(each, "#of-a-kind") for each in classes(files)],
        "classed": [
            (file, summary.file_class, file.added and 1_204)
            for summary in classes(files)
            for file in summary.files
        ],
        "some_messages": ["The run is queued again.", "It goes on at the next boundary."],
    }
    names = ("RUN_STATES", "OUTCOMES", "REQUESTS", "JSON_CHANGES", "RUN_ID", "AT")
    context |= {name.lower(): getattr(samples, name) for name in names}
    context |= {
        name: getattr(samples, name)() for name in ("runs", "waits", "facts", "timeline", "figures")
    }
    return strict(render(request, "components/gallery.html", context | lists()))


def lists() -> dict[str, Any]:
    """Buttons, tabs, filters and the pager of the style page."""
    return {
        "decide": [
            {
                "text": "Approve this exact action",
                "style": "primary",
                "name": "decision",
                "value": "approve",
                "code": "9f3a2b1c",
            },
            {"text": "Send back with a note", "name": "decision", "value": "send_back"},
            {"text": "Reject", "name": "decision", "value": "reject"},
        ],
        "verbs": [
            {
                "text": "Resume: 0 effects sent again",
                "style": "primary",
                "name": "go",
                "value": "on",
            },
            {"text": "Look up again", "icon": "loop", "url": "#buttons"},
            {"text": "Compare", "style": "quiet", "url": "#buttons"},
            {
                "text": "Cancel this run",
                "why_not": "An effect is on its way; it can be cancelled when its outcome is known.",
            },
        ],
        "tabs": [
            {"text": "Timeline", "url": "#tabs", "here": True, "tally": None},
            {"text": "Checkpoints", "url": "#tabs", "here": False, "tally": 1204},
            {"text": "Actions", "url": "#tabs", "here": False, "tally": 2},
            {"text": "Operator log", "url": "#tabs", "here": False, "tally": 0},
        ],
        "filters": [
            {
                "status": status,
                "tally": tally,
                "counted_to": 10_000,
                "url": "#filters",
                "here": status == "held",
            }
            for status, tally in [
                ("held", 3),
                ("waiting", 212),
                ("running", 2),
                ("queued", 40),
                ("succeeded", 10_001),
                ("failed", 7),
            ]
        ],
        "pager": {
            "shown": 11,
            "total": 10_001,
            "counted_to": 10_000,
            "at": timezone.now(),
            "newer_url": "",
            "older_url": "#table",
        },
    }


@login_not_required
def signed_out(request: HttpRequest) -> HttpResponse:
    """The shell without a person: a sign-in page."""
    return strict(render(request, "components/gallery_signed_out.html", {"form": DecisionForm()}))


@login_not_required
def poll(request: HttpRequest) -> HttpResponse:
    """A fragment that says when it was made and which token came with the request."""
    token = request.headers.get("X-CSRFToken", "")
    return HttpResponse(
        f'<p id="polled" data-token="{bool(token)}">{timezone.now():%H:%M:%S.%f}</p>'
    )


@login_not_required
def lines(request: HttpRequest) -> HttpResponse:
    """The lines of one file, as a page hands them out when the file is opened."""
    file = parse_unified(samples.DIFF)[1]
    return render(request, "components/diff_lines.html", {"file": file, "hunks": file.hunks})


def strict(response: HttpResponse) -> HttpResponse:
    """The answer with a content policy that allows nothing inline."""
    response["Content-Security-Policy"] = STRICT
    return response
