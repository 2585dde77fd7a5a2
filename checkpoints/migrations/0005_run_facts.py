"""What must hold of a run is judged when it moves, not again at every commit."""

from pathlib import Path

from django.db import migrations

TRIGGER = Path(__file__).with_suffix(".sql").read_text(encoding="utf-8")
MOVED = (
    "input_digest_is_of_the_input",
    "run_mode_is_live_or_shadow",
    "live_run_says_why",
    "final_run_has_stop_reason_and_time",
    "no_final_run_with_an_effect_in_flight",
    "a_shadow_run_has_no_effect",
)


class Migration(migrations.Migration):
    dependencies = [("checkpoints", "0004_why_a_run_was_interrupted")]

    operations = [
        migrations.RunSQL(
            TRIGGER,
            "DROP TRIGGER run_facts_hold ON checkpoints_run; DROP FUNCTION kedge_run_facts()",
        ),
        *(migrations.RemoveConstraint("run", name) for name in MOVED),
    ]
