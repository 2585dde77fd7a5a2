"""What a fork takes over from others of its lineage has happened there."""

from pathlib import Path

from django.db import migrations

RULES = Path(__file__).with_suffix(".sql").read_text(encoding="utf-8")
UNDO = """
DROP TRIGGER reuse_is_of_what_happened ON checkpoints_reuse;
DROP FUNCTION kedge_guard_reuse();
ALTER TABLE checkpoints_reuse DROP CONSTRAINT reuse_is_of_an_action;
"""


class Migration(migrations.Migration):
    dependencies = [
        ("execution", "0002_problems"),
        ("execution", "0003_plans"),
        ("checkpoints", "0010_forks"),
        ("reconciliation", "0004_facts"),
    ]

    operations = [migrations.RunSQL(RULES, UNDO)]
