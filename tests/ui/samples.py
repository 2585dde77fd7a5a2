"""What the style page shows: values such as the real pages will have, odd ones among them."""

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

from django.utils import timezone

from canonical.diffs import FileDiff, parse_unified

ACME = SimpleNamespace(slug="acme", name="Acme Shipping")
TENANTS = [ACME, SimpleNamespace(slug="harbour", name="Harbour & Sons <GmbH>")]
RUN_ID = "019a2f4c-7b1e-7c3d-9a40-5d1f0e9c2b71"
AT = datetime(2026, 11, 29, 13, 20, 11, tzinfo=UTC)

RUN_STATES = [
    ("queued", "started"),
    ("queued", "interrupted"),
    ("running", "working"),
    ("waiting", "for_approval"),
    ("waiting", "for_retry"),
    ("waiting", "for_look_up"),
    ("held", "outcome_unknown"),
    ("held", "crash_loop"),
    ("succeeded", "done"),
    ("failed", "success_condition_unmet"),
    ("cancelled", "cancelled_by_person"),
]
OUTCOMES = ["happened", "did_not_happen", "refused", "unknown", "written_off", "compensated"]
REQUESTS = ["open", "approved", "used", "rejected", "sent_back", "expired", "withdrawn"]

DIFF = """\
diff --git a/.github/workflows/release.yml b/.github/workflows/release.yml
index 3f1c2aa..9b0d1e2 100644
--- a/.github/workflows/release.yml
+++ b/.github/workflows/release.yml
@@ -12,5 +12,5 @@ jobs:
     steps:
       - uses: actions/checkout@v4
-      - run: make publish
+      - run: make publish VERBOSE=1
         env:
           TOKEN: ${{ secrets.TOKEN }}
diff --git a/src/requests/adapters.py b/src/requests/adapters.py
index 8d1c2aa..7b0d1e2 100644
--- a/src/requests/adapters.py
+++ b/src/requests/adapters.py
@@ -141,9 +141,9 @@ class HTTPAdapter(BaseAdapter):
     def __init__(self, pool_connections=10, pool_maxsize=10, max_retries=0, pool_block=False):
         if max_retries == 0:
-            self.max_retries = Retry(0, read=False)
+            self.max_retries = Retry(0, read=False, allowed_methods=frozenset({"GET", "HEAD", "OPTIONS"}), raise_on_status=False)
         else:
             self.max_retries = Retry.from_int(max_retries)
-        self.config = {}
-        self.proxy_manager = {}
+        self.config: dict[str, object] = {}
+        self.proxy_manager: dict[str, ProxyManager] = {}
         super().__init__()\t# \u202egnissecorp
 \n@@ -310,3 +310,2 @@ def close(self):
     for proxy in self.proxy_manager.values():
-        proxy.clear()
         proxy.clear()
diff --git a/tools/run.sh b/tools/run.sh
old mode 100644
new mode 100755
diff --git a/docs/logo.png b/docs/logo.png
index 1d1c2aa..2b0d1e2 100644
Binary files a/docs/logo.png and b/docs/logo.png differ
diff --git a/src/requests/compat.py b/src/requests/packages.py
similarity index 97%
rename from src/requests/compat.py
rename to src/requests/packages.py
"""

JSON_CHANGES = [
    {"path": "/files/3/findings", "kind": "changed", "old": "12", "new": "0", "by": "apply_rule"},
    {
        "path": "/summary",
        "kind": "added",
        "old": "",
        "new": '"Replace percent formats\nby f-strings \u200b<b>everywhere</b>"',
        "by": "write_message (model)",
    },
    {"path": "/draft", "kind": "removed", "old": '{"lines":3}', "new": "", "by": "write_message"},
    {"path": "/tries", "kind": "type_changed", "old": '"2"', "new": "2", "by": "apply_rule"},
]


def files() -> list[FileDiff]:
    """The files of the sample diff."""
    return parse_unified(DIFF)


def runs() -> list[dict[str, Any]]:
    """Rows of a list of runs, one per state."""
    names = ["requests", "sqlparse", "urllib3", "packaging", "attrs", "h11", "click", "rich"]
    now = timezone.now()
    return [
        {
            "id": RUN_ID[:-2] + f"{number:02x}",
            "status": status,
            "reason": reason,
            "task": "fleet change" if number % 3 else "repository report",
            "key": f"acme/{names[number % len(names)]}@main",
            "step": f"{17 * number + 3} of {240 + number}",
            "moved_at": now - timedelta(seconds=7 * (number + 1) ** 3),
            "effects": number % 3,
        }
        for number, (status, reason) in enumerate(RUN_STATES)
    ]


def waits() -> list[dict[str, Any]]:
    """Rows of the inbox."""
    now = timezone.now()
    return [
        {
            "text": "Push 5 files to requests",
            "target": "git://fleet/requests.git refs/heads/main",
            "status": "open",
            "reason": "",
            "since": now - timedelta(minutes=14),
            "until": now + timedelta(hours=23),
            "holder": "",
        },
        {
            "text": "Did the mail to kenneth@example.org go out?",
            "target": "smtp://mail.example.org",
            "status": "held",
            "reason": "outcome_unknown",
            "since": now - timedelta(minutes=3),
            "until": None,
            "holder": "Dee, since 13:18 UTC",
        },
    ]


def facts() -> list[dict[str, Any]]:
    """Facts with their age."""
    now = timezone.now()
    return [
        {"label": "Target", "value": "git://fleet/requests.git refs/heads/main", "at": None},
        {
            "label": "Remote head",
            "value": "4f2c9e1b",
            "at": now - timedelta(seconds=4),
            "note": "the same as when the diff was made",
        },
        {"label": "Size", "value": "5 files, 5 lines in, 5 lines out", "at": None},
        {
            "label": "Asked by",
            "value": "Cy, through the API",
            "at": now - timedelta(minutes=14),
            "url": "#facts",
        },
        {"label": "Expires", "value": "2026-11-30 13:06:11 UTC", "at": now + timedelta(hours=23)},
    ]


def timeline() -> list[dict[str, Any]]:
    """Events of one recovered run."""
    return [
        {"at": AT, "title": "Started", "by": "Ada", "shape": "dot", "tone": "waiting"},
        {
            "at": AT + timedelta(seconds=4),
            "title": "read_head",
            "text": "refs/heads/main is 4f2c9e1b",
            "shape": "check",
            "tone": "done",
            "took": 0.212,
            "url": "#timeline",
        },
        {
            "at": AT + timedelta(seconds=9),
            "title": "Interrupted",
            "text": "The worker died 6 ms after sending; nothing was written down.",
            "shape": "loop",
            "tone": "itself",
        },
        {
            "at": AT + timedelta(seconds=10),
            "title": "Push to main",
            "status": "unknown",
            "shape": "question",
            "text": "Asked the remote by action id: it has the push of attempt 1. Nothing was sent again.",
            "took": 1.26,
        },
        {
            "at": AT + timedelta(seconds=11),
            "title": "push",
            "status": "happened",
            "shape": "check",
            "took": 2.9,
        },
    ]


def figures() -> list[dict[str, Any]]:
    """Figures of a home page."""
    now = timezone.now()
    return [
        {
            "label": "Need a person",
            "value": "3",
            "note": "oldest 14 min",
            "tone": "person",
            "url": "#table",
        },
        {"label": "Go on by themselves", "value": "1,400", "unit": "runs", "note": "88,120.00 EUR"},
        {
            "label": "Recovered without a person",
            "value": "97.4",
            "unit": "%",
            "at": now - timedelta(minutes=1),
        },
        {
            "label": "Duplicates that arrived",
            "value": "0",
            "note": "checked 812 of 812, found none",
        },
    ]
