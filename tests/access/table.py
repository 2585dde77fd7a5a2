"""The one table of who may ask what of which route: every named route has a row here, or a test fails.

A row says what GET needs and what POST needs. HEAD is as GET. Everything else is refused.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from tenants.roles import ROLES

PUBLIC: Final = "public"  # before signing in
SIGNED_IN: Final = "signed in"  # shows and changes what is one's own
MEMBER: Final = "member"  # of any tenant
VIEW: Final = "view_runs"
READ: Final = "read_payloads"
OPERATE: Final = "operate_runs"
APPROVE: Final = "approve_actions"
RECONCILE: Final = "reconcile_actions"
MANAGE: Final = "manage_tenant"
AUDIT: Final = "audit"
RELEASE: Final = "manage_releases"

ANONYMOUS: Final = "anonymous"
STRANGER: Final = "stranger"  # signed in, belongs to no tenant
FOREIGN: Final = "foreign"  # owns another tenant
PERSONAS: Final[Mapping[str, tuple[str, ...]]] = {
    "viewer": (VIEW,),
    "operator": ROLES["operator"],
    "approver": ROLES["approver"],
    "manager": ROLES["owner"],
    "auditor": ROLES["auditor"],
}


@dataclass(frozen=True)
class Row:
    """What GET and POST need: a word from above, several joined by " and ", each perhaps by "|".

    None: the route has no such method.
    `whose`: the one persona whose object the sample is; others who have the right get `others`.
    `barred`: the one persona who has the right, and whose own hand in the matter forbids it.
    """

    get: str | None = None
    post: str | None = None
    whose: str = ""
    others: int = 404
    barred: str = ""

    @property
    def is_public(self) -> bool:
        return PUBLIC in (self.get, self.post)

    def needs(self, method: str) -> str | None:
        """What a method needs; None when there is no such method."""
        return {"GET": self.get, "HEAD": self.get, "POST": self.post}.get(method)


def may(rights: Collection[str], needs: str) -> bool:
    """Whether these rights are enough."""
    return all(set(each.split("|")) & set(rights) for each in needs.split(" and "))


def page(needs: str) -> Row:
    """A page that answers to GET and HEAD alone."""
    return Row(get=needs)


def refusal(row: Row, persona: str, method: str) -> int | None:
    """The status with which a persona is refused a method; None when they are let in."""
    needs = row.needs(method)
    if needs == PUBLIC:
        return None
    if persona == ANONYMOUS and not row.is_public:
        return 302 if method in {"GET", "HEAD"} else 401
    if needs is None:
        return 405
    return _of_signed_in(row, persona, needs)


def _of_signed_in(row: Row, persona: str, needs: str) -> int | None:
    if needs == MEMBER:
        return 404 if persona == STRANGER else None
    if needs != SIGNED_IN:
        if persona not in PERSONAS:
            return 404
        if not may(PERSONAS[persona], needs) or persona == row.barred:
            return 403
    return None if row.whose in ("", persona) else row.others


ROWS: Final[Mapping[str, Row]] = {
    # The installation
    "healthz": Row(get=PUBLIC),
    "readyz": Row(get=PUBLIC),
    "across": Row(get=SIGNED_IN),
    "where_to_stop": Row(get=SIGNED_IN),
    "system": Row(get=MEMBER),
    "record": Row(get=MEMBER),
    # Getting in, and what is one's own
    "account_login": Row(get=PUBLIC, post=PUBLIC),
    "mfa_authenticate": Row(get=PUBLIC, post=PUBLIC),
    "mfa_login_webauthn": Row(get=PUBLIC, post=PUBLIC),
    "sign_in_link": Row(get=PUBLIC, post=PUBLIC),
    "sign_in_again": Row(get=SIGNED_IN, post=SIGNED_IN),
    "account_logout": Row(get=PUBLIC, post=PUBLIC),
    "account_reauthenticate": Row(get=SIGNED_IN, post=SIGNED_IN),
    "mfa_reauthenticate": Row(get=SIGNED_IN, post=SIGNED_IN),
    "mfa_reauthenticate_webauthn": Row(get=SIGNED_IN, post=SIGNED_IN),
    "mfa_index": Row(get=SIGNED_IN),
    "account_change_password": Row(get=SIGNED_IN, post=SIGNED_IN),
    "mfa_activate_totp": Row(get=SIGNED_IN, post=SIGNED_IN),
    "mfa_deactivate_totp": Row(get=SIGNED_IN, post=SIGNED_IN, whose="manager"),
    "mfa_view_recovery_codes": Row(get=SIGNED_IN, whose="manager"),
    "mfa_download_recovery_codes": Row(get=SIGNED_IN, whose="manager"),
    "mfa_generate_recovery_codes": Row(get=SIGNED_IN, post=SIGNED_IN),
    "mfa_list_webauthn": Row(get=SIGNED_IN),
    "mfa_add_webauthn": Row(get=SIGNED_IN, post=SIGNED_IN),
    "mfa_remove_webauthn": Row(get=SIGNED_IN, post=SIGNED_IN),
    "my_notifications": Row(get=SIGNED_IN, post=SIGNED_IN),
    # One tenant
    "home": Row(get=VIEW),
    "search": Row(get=VIEW),
    "inbox": page(VIEW),
    "needs": page(VIEW),
    "inbox_next": page(VIEW),
    "audit": Row(get=AUDIT),
    "audit_export": Row(post=AUDIT),
    "reconciliation:credentials": Row(get=VIEW, post=f"{VIEW} and {MANAGE}"),
    "reconciliation:credential_check": Row(post=f"{VIEW} and {OPERATE}|{MANAGE}"),
    "reconciliation:tenant_record": Row(get=f"{AUDIT}|{MANAGE}|{RECONCILE}"),
    "reconciliation:settle_line": Row(post=RECONCILE),
    "reconciliation:doors": Row(get=VIEW, post=f"{VIEW} and {OPERATE}"),
    "actions": Row(get=VIEW),
    "recoveries": Row(get=VIEW),
    "alerts": Row(get=VIEW, post=f"{VIEW} and {MANAGE}"),
    "end_alert": Row(post=MANAGE),
    "reconciliation:export_recipients": Row(post=READ),
    "reconciliation:reports": Row(get=VIEW, post=f"{VIEW} and {RECONCILE}"),
    "reconciliation:report_draft": Row(get=RECONCILE, post=RECONCILE),
    "reconciliation:report_discard": Row(post=RECONCILE),
    "reconciliation:report": Row(get=VIEW),
    "reconciliation:report_file": Row(post=READ),
    "approvals:tools": Row(get=VIEW, post=f"{VIEW} and {MANAGE}"),
    # Stops
    "stop": Row(get=VIEW, post=f"{VIEW} and {OPERATE}"),
    "stop_calls": Row(get=VIEW),
    "lift_stop": Row(post=OPERATE),
    "confirm_lifting": Row(post=OPERATE, barred="operator"),
    "withdraw_lifting": Row(post=OPERATE),
    # Plans: the sample gives verdicts
    "plans": page(VIEW),
    "new_plan": Row(
        get=f"{VIEW} and {OPERATE}|{RECONCILE}", post=f"{VIEW} and {OPERATE}|{RECONCILE}"
    ),
    "plan": page(VIEW),
    "plan_progress": page(VIEW),
    "plan_items": page(VIEW),
    "start_plan": Row(post=f"{VIEW} and {RECONCILE}"),
    "stop_plan": Row(post=f"{VIEW} and {RECONCILE}"),
    "second_plan": Row(post=f"{VIEW} and {RECONCILE}"),
    "discard_plan": Row(post=f"{VIEW} and {RECONCILE}"),
    # Problems
    "problems": Row(get=VIEW),
    "problem": Row(get=VIEW),
    "snooze_problem": Row(post=OPERATE),
    "change_problem": Row(post=OPERATE),
    "claim_problem": Row(post=OPERATE),
    # Combos: the samples are those that runs of one tenant use
    "combos": page(VIEW),
    "combo": page(VIEW),
    "combo_pair": page(VIEW),
    # Rollbacks: the sample is the plan of one, not started
    "new_rollback": Row(get=RELEASE, post=RELEASE),
    "rollback": page(VIEW),
    "rollback_progress": page(VIEW),
    "start_rollback": Row(post=RELEASE),
    "second_rollback": Row(post=RELEASE),
    "withdraw_rollback": Row(post=RELEASE),
    "pause_rollback": Row(post=RELEASE),
    "go_on_rollback": Row(post=RELEASE),
    "rollback_runs": Row(get=VIEW, post=RELEASE),
    "rollback_board": Row(get=VIEW, post=f"{RELEASE} and {RECONCILE}"),
    "undo_effect": Row(post=f"{RELEASE} and {RECONCILE}"),
    # Releases
    "releases": page(VIEW),
    "new_release": Row(get=RELEASE, post=RELEASE),
    "task_releases": Row(get=VIEW),
    "release_policy": Row(get=VIEW, post=f"{VIEW} and {RELEASE}"),
    "task_policy": Row(get=VIEW, post=f"{VIEW} and {RELEASE}"),
    "send_keys": Row(post=RELEASE),
    "end_key": Row(post=RELEASE),
    "problem_matrix": Row(get=VIEW),
    "release": page(VIEW),
    "shadows": page(VIEW),
    "shadow_twin": page(VIEW),
    "propose_move": Row(post=RELEASE),
    "make_move": Row(post=RELEASE),
    "second_move": Row(post=RELEASE),
    "withdraw_move": Row(post=RELEASE),
    "release_ladder": page(VIEW),
    "step_on_ladder": Row(post=RELEASE),
    # Runs
    "runs": Row(get=VIEW),
    "runs_new": Row(get=VIEW),
    "runs_visible": Row(get=VIEW),
    "start_run": Row(get=OPERATE, post=OPERATE),
    "run": Row(get=VIEW),
    "run_standing": Row(get=VIEW),
    "run_timeline": Row(get=VIEW),
    "run_checkpoints": Row(get=VIEW),
    "run_checkpoint": Row(get=VIEW),
    "run_difference": Row(get=READ),
    "run_log": Row(get=VIEW),
    "run_evidence": Row(get=VIEW, post=f"{VIEW} and {AUDIT}|{READ}"),
    "run_forecast": Row(get=VIEW),
    "fork_run": Row(get=OPERATE, post=OPERATE),
    "two_proposals": Row(get=READ),
    "cancel_run": Row(get=OPERATE, post=OPERATE),
    "run_why_not": Row(get=VIEW),
    "run_why_not_one": Row(get=VIEW),
    "revoke_run": Row(get=OPERATE, post=OPERATE),
    "approvals:run_requests": page(VIEW),
    "reconciliation:run_actions": page(VIEW),
    # Actions, cases, what is encrypted
    "reconciliation:action": page(VIEW),
    "reconciliation:action_evidence": Row(post=f"{VIEW} and {AUDIT}|{READ}"),
    "reconciliation:case": page(VIEW),
    "reconciliation:case_standing": page(VIEW),
    "reconciliation:verdicts": Row(post=RECONCILE),
    "reconciliation:proposal": Row(post=RECONCILE),
    "reconciliation:take_back": Row(post=RECONCILE),
    "reconciliation:case_work": page(VIEW),
    "reconciliation:claim": Row(post=RECONCILE),
    "reconciliation:keep_claim": Row(post=RECONCILE),
    "reconciliation:release_claim": Row(post=RECONCILE),
    "reconciliation:hand_case_over": Row(post=RECONCILE),
    "reconciliation:write_note": Row(post=RECONCILE),
    "reconciliation:wait_outside": Row(post=RECONCILE),
    "reconciliation:wait_no_more": Row(post=RECONCILE),
    "reconciliation:encrypted": Row(get=READ, post=READ),
    # States written by hand
    "write_edit": Row(
        get=f"{RECONCILE} and {READ} and {VIEW}", post=f"{RECONCILE} and {READ} and {VIEW}"
    ),
    "edit": page(VIEW),
    "decide_edit": Row(post=f"{APPROVE} and {READ}"),
    "withdraw_edit": Row(post=f"{VIEW} and {APPROVE}|{OPERATE}|{RECONCILE}"),
    # Requests
    "approvals:request": page(VIEW),
    "approvals:standing": page(VIEW),
    "approvals:whole_diff": page(READ),
    "approvals:file_lines": page(READ),
    "approvals:parameters": page(READ),
    "approvals:value": page(READ),
    "approvals:decision": Row(post=f"{APPROVE} and {READ}"),
    "approvals:second_look": page(VIEW),
    "approvals:remarks_seen": Row(post=f"{APPROVE} and {READ}"),
    "approvals:withdrawal": Row(post=f"{VIEW} and {APPROVE}|{OPERATE}"),
    "approvals:taking_back": Row(post=APPROVE),
    "approvals:hand_over": Row(post=f"{VIEW} and {APPROVE}|{OPERATE}"),
    "approvals:take_hand_over_back": Row(post=VIEW, whose="approver", others=403),
    "approvals:dry_run_again": Row(post=f"{VIEW} and {APPROVE}|{OPERATE}"),
    "approvals:batch": page(APPROVE),
    "approvals:batches": Row(post=f"{APPROVE} and {READ}"),
    "approvals:batch_result": Row(get=VIEW, whose="approver"),
    # The demo; without KEDGE_DEMO nobody has these
    "demo": Row(get=OPERATE),
    "demo_plugged": Row(get=OPERATE),
    "pull_the_plug": Row(post=f"{OPERATE} and {READ}"),
    "outside_world": Row(get=MEMBER),
}


def row_of(name: str) -> Row:
    """The row of a route; without one it has no method at all."""
    return ROWS.get(name, Row())
