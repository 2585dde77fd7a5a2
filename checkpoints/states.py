"""Run statuses, the reasons a run may give for its status, and which moves are legal. Pure."""

from typing import Final

QUEUED: Final = "queued"
RUNNING: Final = "running"
WAITING: Final = "waiting"
HELD: Final = "held"
SUCCEEDED: Final = "succeeded"
FAILED: Final = "failed"
CANCELLED: Final = "cancelled"

FINAL: Final = (SUCCEEDED, FAILED, CANCELLED)
LIVE: Final = (QUEUED, RUNNING, WAITING, HELD)
STATUSES: Final = (*LIVE, *FINAL)

# What becomes of the effects of a run: they are sent, or stop at their dry run.
LIVE_MODE: Final = "live"
SHADOW_MODE: Final = "shadow"

# Why a run is queued or running.
STARTED = "started"
WOKEN = "woken"
YIELDED = "yielded"
INTERRUPTED = "interrupted"
WORKING = "working"
# These stand in line. A run that somebody woke, that was interrupted, or whose wait is over goes
# before them: an answer that waits minutes behind fresh work looks like no answer.
IN_LINE: Final = (STARTED, YIELDED)

# What a waiting run waits for, as designed.
FOR_APPROVAL = "for_approval"
FOR_RETRY = "for_retry"
FOR_LOOK_UP = "for_look_up"
FOR_SETTLING = "for_settling"
FOR_SAME_KEY = "for_same_key"
FOR_STOP = "for_stop"
FOR_DOOR = "for_door"

# What a held run needs a person for: the kinds of case.
OUTCOME_UNKNOWN = "outcome_unknown"
UNMIGRATABLE = "unmigratable"
DAMAGED_CHECKPOINT = "damaged_checkpoint"
MISSING_BLOB = "missing_blob"
WORLD_CHANGED = "world_changed"
CREDENTIAL_INVALID = "credential_invalid"
CRASH_LOOP = "crash_loop"
INVALID_OUTPUT = "invalid_output"
DUPLICATE_EFFECT = "duplicate_effect"
CONTRADICTED = "contradicted"
RECORD_BEHIND = "record_behind"

CASE_KINDS: Final = (
    OUTCOME_UNKNOWN,
    UNMIGRATABLE,
    DAMAGED_CHECKPOINT,
    MISSING_BLOB,
    WORLD_CHANGED,
    CREDENTIAL_INVALID,
    CRASH_LOOP,
    INVALID_OUTPUT,
    DUPLICATE_EFFECT,
    CONTRADICTED,
    RECORD_BEHIND,
)

# What a person may decide in a case. What follows of each stands in `reconciliation.verdicts`.
IT_HAPPENED: Final = "it_happened"
IT_DID_NOT: Final = "it_did_not"
SEND_AGAIN: Final = "send_again"
COMPENSATE: Final = "compensate"
WRITE_OFF: Final = "write_off"
WRITE_OFF_AND_STOP: Final = "write_off_and_stop"
IT_STANDS: Final = "it_stands"
ONLY_ONE: Final = "only_one"
LOOK_UP_AGAIN: Final = "look_up_again"
TRY_AGAIN: Final = "try_again"
GO_ON_FROM: Final = "go_on_from"
EDIT_STATE: Final = "edit_state"
MIGRATE_BY_HAND: Final = "migrate_by_hand"
CANCEL: Final = "cancel"
VERDICTS: Final = (
    IT_HAPPENED,
    IT_DID_NOT,
    SEND_AGAIN,
    COMPENSATE,
    WRITE_OFF,
    WRITE_OFF_AND_STOP,
    IT_STANDS,
    ONLY_ONE,
    LOOK_UP_AGAIN,
    TRY_AGAIN,
    GO_ON_FROM,
    EDIT_STATE,
    MIGRATE_BY_HAND,
    CANCEL,
)

REASONS: Final = {
    QUEUED: (STARTED, WOKEN, YIELDED, INTERRUPTED),
    RUNNING: (WORKING,),
    WAITING: (
        FOR_APPROVAL,
        FOR_RETRY,
        FOR_LOOK_UP,
        FOR_SETTLING,
        FOR_SAME_KEY,
        FOR_STOP,
        FOR_DOOR,
    ),
    HELD: CASE_KINDS,
}

MOVES: Final = {
    QUEUED: (RUNNING, HELD, CANCELLED),
    RUNNING: (QUEUED, WAITING, HELD, SUCCEEDED, FAILED, CANCELLED),
    WAITING: (QUEUED, HELD),
    HELD: (QUEUED,),
    SUCCEEDED: (),
    FAILED: (),
    CANCELLED: (),
}

# Why a run ended: the stop reasons of final runs.
DONE = "done"
CONDITION_UNMET = "success_condition_unmet"
CANCELLED_BY_PERSON = "cancelled_by_person"
FORBIDDEN_EFFECT = "forbidden_effect"
REJECTED = "rejected"
REFUSED = "refused"
EXPIRED = "expired"
SENT_BACK = "sent_back"
WRITTEN_OFF = "written_off"
# Of a shadow: it came to an effect whose outcome the live run does not have for it, or to what would
# have held a live run. Nobody is asked about either.
SHADOW_ENDED = "shadow_ended"
SHADOW_TROUBLE = "shadow_trouble"
STOP_REASONS: Final = (
    DONE,
    CONDITION_UNMET,
    CANCELLED_BY_PERSON,
    FORBIDDEN_EFFECT,
    REJECTED,
    REFUSED,
    EXPIRED,
    SENT_BACK,
    WRITTEN_OFF,
    SHADOW_ENDED,
    SHADOW_TROUBLE,
)
