"""A change that wants to be read as another: hidden, look-alike and reordering characters everywhere."""

from approvals.models import ApprovalRequest
from tenants.models import Tenant
from tests.approvals.asking import asked_about

RLO, ISOLATE, ZWSP, TAG = "\u202e", "\u2066", "\u200b", "\U000e0041"
HEBREW = '+order("\u05d0\u05d1\u05d2", 1, "\u05d3\u05d4")\n'

DIFF = (
    f'diff --git "a/src/pay{RLO}sp.py" "b/src/pay{RLO}sp.py"\n'
    "index 3f1c2aa..9b0d1e2 100644\n"
    f'--- "a/src/pay{RLO}sp.py"\n+++ "b/src/pay{RLO}sp.py"\n'
    f"@@ -1,4 +1,5 @@ def pay{ZWSP}():\n"
    "-    if user.is_admin:\n"
    f"+    if user.is_\u0430dmin:  # {RLO}{ISOLATE}nimda ton{TAG}\n"
    " </pre></td></table><script>alert(1)</script>\n"
    "-old\n"
    f"+old{ZWSP}\n"
    f"{HEBREW}"
    " ```{{ 7|add:1 }}{% now 'Y' %}&lt;b&gt; **bold** [x](javascript:alert(1))\n"
    "diff --git a/.github/workflows/release.yml b/.github/workflows/release.yml\n"
    "old mode 100644\nnew mode 100755\n"
    "diff --git a/latest b/latest\nnew file mode 120000\nindex 0000000..9b0d1e2\n"
    "--- /dev/null\n+++ b/latest\n@@ -0,0 +1 @@\n+/etc/passwd\n\\ No newline at end of file\n"
)
PARAMETERS = (
    '{"to":"b\u0430nk@example.org","re\\u202eply":"see https://bank.example@evil.example/ and '
    'https://kedge.example/a?b=1","1":1,"\\u2028":null}'
)


def hostile_change(tenant: Tenant) -> ApprovalRequest:
    """An open request about it, with a sentence, a target and a summary of the same kind."""
    return asked_about(
        DIFF.encode(),
        tenant=tenant,
        parameters=PARAMETERS.encode(),
        describe=f"Pay 10 {RLO}00001 to bob\nApproved by Dee",
        target=f"g\u0456thub.com/acme {ISOLATE}main",
        summary=(f"1 file{ZWSP} changed", "<b>bold</b> [link](javascript:alert(1))"),
    )
