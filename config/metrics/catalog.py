"""Every metric that is served: its name with its unit, what it says, and by which labels.

Labels have few values, all ours: statuses, reasons, kinds, and a bounded number of combos. A label
`tenant` is added where the number is somebody's and `KEDGE_METRICS_TENANTS` is on.
"""

from dataclasses import dataclass
from typing import Final

from execution.pages.figures import DAYS, LOOKED_AT
from execution.pages.machine import COUNTED_TO
from releases.numbers.runs import NOT_TAKEN_SECONDS

ADD: Final = "add"  # of several tenants: their sum
MOST: Final = "most"  # of several tenants: the largest
SECONDS: Final = (0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600, 14_400, 86_400)
# Runs of so many days, the newest so many of all tenants.
COMBO_DAYS: Final = 7
COMBO_RUNS: Final = 20_000
# Each of them is asked for its notes.
COMBO_RUNS_PRICED: Final = 5_000
COMBOS: Final = 30


@dataclass(frozen=True)
class Metric:
    """One metric. `of_tenants`: it may be shown by tenant; `folds`: what several make together."""

    name: str
    help: str
    labels: tuple[str, ...] = ()
    of_tenants: bool = True
    folds: str = ADD
    buckets: tuple[float, ...] = ()


_LATELY = f"of the last {DAYS} days, among the newest {LOOKED_AT} of all tenants"

METRICS: Final = (
    # The three numbers, counted as the pages count them (execution.recoveries.defining).
    Metric(
        "kedge_recoveries",
        f"Recoveries begun {_LATELY}, by how they ended; open: under way. One that was interrupted"
        " itself goes on as the next and is counted once.",
        ("ended",),
    ),
    Metric(
        "kedge_recovery_duration_seconds",
        f"From the notice of an interruption to the next checkpoint, of recoveries that succeeded"
        f" {_LATELY}. Counted anew at each scrape: no rate() is needed.",
        buckets=SECONDS,
    ),
    Metric(
        "kedge_recovery_open_age_seconds",
        "How long recoveries under way have lasted so far: censored, so never part of the durations.",
        buckets=SECONDS,
    ),
    Metric(
        "kedge_recovery_open_oldest_seconds",
        "How long the longest recovery under way has lasted; 0 without any.",
        folds=MOST,
    ),
    Metric(
        "kedge_effects_happened",
        f"Effects that happened in the last {DAYS} days, among the newest {LOOKED_AT} of each tenant.",
    ),
    Metric(
        "kedge_effects_checked",
        "Those of kedge_effects_happened that were looked up in the world and found there.",
    ),
    Metric(
        "kedge_duplicates_found",
        f"Effects that arrived twice, found in the last {DAYS} days, among the newest {LOOKED_AT} cases"
        " of each tenant; 0 says something of kedge_effects_checked effects only.",
    ),
    Metric("kedge_lease_takeovers", f"Leases that another worker took over, {_LATELY}."),
    Metric(
        "kedge_lease_takeover_duration_seconds",
        f"From the notice of an interruption to the next worker, {_LATELY}.",
        buckets=SECONDS,
    ),
    # What stands now.
    Metric(
        "kedge_runs_due",
        f"Runs that could go on now, counted to {COUNTED_TO + 1}.",
        (),
        of_tenants=False,
    ),
    Metric(
        "kedge_runs_due_oldest_seconds",
        "How long the longest due run has waited for a worker; 0 without any.",
        (),
        of_tenants=False,
    ),
    Metric("kedge_runs_leased", "Runs that a worker holds.", (), of_tenants=False),
    Metric(
        "kedge_wakeups_queued",
        "Wake-ups in the queue, which are hints: see kedge_runs_due.",
        (),
        of_tenants=False,
    ),
    Metric(
        "kedge_runs",
        f"Runs that have not ended, by status and reason, each counted to {COUNTED_TO + 1} per"
        " tenant and status.",
        ("status", "reason"),
    ),
    Metric("kedge_held_runs", "Runs that wait for a person, by kind of case.", ("kind",)),
    Metric(
        "kedge_held_oldest_seconds",
        "How long the oldest open case has waited; 0 without any.",
        folds=MOST,
    ),
    Metric("kedge_approvals_pending", "Questions that wait for people, by how long.", ("age",)),
    Metric(
        "kedge_approvals_pending_oldest_seconds",
        "How long the oldest open question has waited; 0 without any.",
        folds=MOST,
    ),
    Metric("kedge_outcomes_unknown", "Effects of which nobody knows whether they happened."),
    Metric("kedge_doors_closed", "Doors of tools that are closed, by who closed them.", ("by",)),
    Metric("kedge_stops_in_force", "Stops in force, by what they lock.", ("lock",)),
    Metric(
        "kedge_combo_runs",
        f"Runs that were started in the last {COMBO_DAYS} days, among the newest {COMBO_RUNS}, by"
        f' combo (the newest {COMBOS}, the rest as "others") and status.',
        ("task_type", "combo", "status"),
    ),
    Metric(
        "kedge_combo_recoveries",
        "kedge_recoveries by combo.",
        ("task_type", "combo", "ended"),
    ),
    Metric(
        "kedge_combo_recovery_duration_seconds",
        "kedge_recovery_duration_seconds by combo.",
        ("task_type", "combo"),
        buckets=SECONDS,
    ),
    Metric(
        "kedge_combo_effects_happened",
        "kedge_effects_happened by combo.",
        ("task_type", "combo"),
    ),
    Metric(
        "kedge_combo_effects_checked", "kedge_effects_checked by combo.", ("task_type", "combo")
    ),
    Metric(
        "kedge_combo_duplicates_found", "kedge_duplicates_found by combo.", ("task_type", "combo")
    ),
    Metric(
        "kedge_combo_runs_held",
        "Those of kedge_combo_runs that needed a person: they had a case, or were due for"
        f" {NOT_TAKEN_SECONDS} seconds and no worker took them.",
        ("task_type", "combo"),
    ),
    Metric(
        "kedge_combo_questions_answered",
        "Questions of kedge_combo_runs that people answered; no: rejected, or sent back with a note.",
        ("task_type", "combo", "answer"),
    ),
    Metric(
        "kedge_combo_tokens",
        f"Tokens that runs took of the model, of those of the newest {COMBO_RUNS_PRICED} of"
        " kedge_combo_runs that have ended and noted what they took.",
        ("task_type", "combo"),
    ),
    Metric(
        "kedge_combo_tokens_runs",
        "Of how many runs kedge_combo_tokens is the sum (noted: yes), and how many asked a model and"
        " have no sound note of it (no).",
        ("task_type", "combo", "noted"),
    ),
    # The traffic.
    Metric("kedge_releases_under_way", "Releases that have not ended, by place.", ("place",)),
    Metric(
        "kedge_releases_frozen",
        "Those of them that wait until a person lifts what a machine's roll back left.",
    ),
    Metric(
        "kedge_release_share_ratio",
        "The share of new runs that the candidate of a release under way gets, from 0 to 1; of"
        " several tenants the largest.",
        ("task_type", "combo"),
        folds=MOST,
    ),
    Metric(
        "kedge_release_gate_verdicts",
        "Releases under way by what the newest look since their last move said of a measure; of"
        " all together the measure is whole, and none: no look was taken yet.",
        ("task_type", "combo", "measure", "verdict"),
    ),
    Metric("kedge_release_moves_pending", "Moves of releases that wait for a person's word."),
    # The installation.
    Metric(
        "kedge_processes_alive",
        "Workers and sweepers that say they live.",
        ("kind",),
        of_tenants=False,
    ),
    Metric(
        "kedge_processes_silent",
        "Those that said nothing for too long.",
        ("kind",),
        of_tenants=False,
    ),
    Metric(
        "kedge_sweeper_last_round_seconds",
        "How long ago a sweeper last said that it finished a round; -1 if none ever did.",
        (),
        of_tenants=False,
    ),
    Metric(
        "kedge_sweeper_round_duration_seconds",
        "How long its last round took.",
        (),
        of_tenants=False,
    ),
    Metric(
        "kedge_record_diverged",
        "1 while record and world are apart and effects are stopped for it.",
        (),
        of_tenants=False,
    ),
    Metric(
        "kedge_journal_lines_missing",
        "Lines of the journal the record lacks, open.",
        (),
        of_tenants=False,
    ),
    Metric(
        "kedge_spools_silent",
        "Folders of receipts that no machine looks after.",
        (),
        of_tenants=False,
    ),
    Metric(
        "kedge_scrape_part_ok",
        "1 if this part could be counted; its metrics are missing otherwise.",
        ("part",),
        of_tenants=False,
    ),
    Metric(
        "kedge_scrape_part_seconds",
        "How long this part took to count.",
        ("part",),
        of_tenants=False,
    ),
)
BY_NAME: Final = {metric.name: metric for metric in METRICS}
