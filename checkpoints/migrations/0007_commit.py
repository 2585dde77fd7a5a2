"""A commit is judged by two triggers: what it adds, and how the run's row moves."""

import re
from pathlib import Path

import django.db.models.deletion
from django.db import migrations, models

HERE = Path(__file__)
RULES, UNDO = HERE.with_suffix(".sql").read_text(encoding="utf-8").split("-- split\n")
FIRST = HERE.with_name("0001_record.sql").read_text(encoding="utf-8")


def as_first(what: str) -> str:
    """A function as the first migration made it, or a trigger."""
    (found,) = re.findall(rf"CREATE {what}\b.*?;\n\n", FIRST, re.DOTALL)
    return str(found).replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION")


class Migration(migrations.Migration):
    dependencies = [("checkpoints", "0006_stops")]

    operations = [
        migrations.RunSQL(
            RULES,
            as_first("FUNCTION kedge_guard_run")
            + as_first("FUNCTION kedge_refuse_gap")
            + as_first("TRIGGER checkpoint_leaves_no_gap")
            + UNDO,
            state_operations=[
                migrations.AlterField(
                    "checkpoint",
                    "run",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="checkpoints.run",
                    ),
                ),
                migrations.AlterField(
                    "checkpoint",
                    "combo",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="checkpoints.combo",
                    ),
                ),
            ],
        ),
        migrations.RemoveConstraint("run", "a_run_is_leased_iff_running"),
    ]
