"""A declared successor stands on the ladder where the combo before it stands."""

import re
from pathlib import Path

from django.db import migrations

HERE = Path(__file__)
RULES = HERE.with_suffix(".sql").read_text(encoding="utf-8")
(BEFORE,) = re.findall(
    r"CREATE (FUNCTION kedge_rung\(.*?\$\$;\n)",
    HERE.with_name("0014_rungs.sql").read_text(encoding="utf-8"),
    re.DOTALL,
)


class Migration(migrations.Migration):

    dependencies = [
        ('checkpoints', '0017_overrides'),
    ]

    operations = [migrations.RunSQL(RULES, f"CREATE OR REPLACE {BEFORE}")]
