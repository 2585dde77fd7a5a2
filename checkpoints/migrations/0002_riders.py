"""`kedge_must`: lets a commit carry another write and fail as a whole."""

from pathlib import Path

from django.db import migrations

FUNCTION = Path(__file__).with_suffix(".sql").read_text(encoding="utf-8")


class Migration(migrations.Migration):
    dependencies = [("checkpoints", "0001_record")]

    operations = [
        migrations.RunSQL(FUNCTION, "DROP FUNCTION kedge_must(boolean, text)"),
    ]
