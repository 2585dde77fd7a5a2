"""Doors, and what is known of credentials besides: asked for, warned of, and what the tool says."""

from pathlib import Path

import django.db.models.deletion
from django.db import migrations, models
from django.db.models.functions import Now

RULES = Path(__file__).with_suffix(".sql").read_text(encoding="utf-8")
UNDO = """
UPDATE checkpoints_run SET reason = 'for_retry', due_at = clock_timestamp()
 WHERE status = 'waiting' AND reason = 'for_door';
SELECT kedge_reasons_of_waiting('''for_stop'', ''for_door''', '''for_stop''');
DROP FUNCTION kedge_reasons_of_waiting(text, text);
"""


class Migration(migrations.Migration):
    dependencies = [
        ("reconciliation", "0004_facts"),
        ("checkpoints", "0007_commit"),
        ("tenants", "0007_row_level_security"),
    ]

    operations = [
        migrations.CreateModel(
            name="Door",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("tool", models.CharField(max_length=64)),
                ("silent", models.JSONField(default=list)),
                ("answered_at", models.DateTimeField(null=True)),
                ("closed_at", models.DateTimeField(null=True)),
                ("closed_by", models.CharField(blank=True, default="", max_length=200)),
                ("by_hand", models.BooleanField(default=False)),
                ("why", models.TextField(blank=True, default="")),
                ("next_probe_at", models.DateTimeField(null=True)),
                ("probing_until", models.DateTimeField(null=True)),
                ("let_through", models.UUIDField(null=True)),
                ("probed_at", models.DateTimeField(null=True)),
                ("said", models.TextField(blank=True, default="")),
                ("opened_at", models.DateTimeField(null=True)),
                ("opened_by", models.CharField(blank=True, default="", max_length=200)),
                ("paced_at", models.DateTimeField(null=True)),
                ("woken", models.IntegerField(default=0)),
                ("noted_at", models.DateTimeField(db_default=Now())),
                (
                    "tenant",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="tenants.tenant",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("tenant", "tool"), name="one_door_per_tool_and_tenant"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("by_hand", False),
                                ("closed_at__isnull", True),
                                ("closed_by", ""),
                                ("why", ""),
                            ),
                            models.Q(
                                ("closed_at__isnull", False),
                                models.Q(("closed_by", ""), _negated=True),
                                models.Q(("why", ""), _negated=True),
                            ),
                            _connector="OR",
                        ),
                        name="a_closed_door_says_who_and_why",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("by_hand", False), ("closed_at__isnull", False)),
                            models.Q(
                                ("let_through", None),
                                ("next_probe_at", None),
                                ("probing_until", None),
                            ),
                            _connector="OR",
                        ),
                        name="only_a_door_that_closed_by_itself_is_probed",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("closed_at__isnull", True),
                            ("by_hand", True),
                            ("next_probe_at__isnull", False),
                            _connector="OR",
                        ),
                        name="a_door_that_closed_by_itself_is_probed",
                    ),
                ],
            },
        ),
        migrations.AddField("credential", "told_expires_at", models.DateTimeField(null=True)),
        migrations.AddField("credential", "wanted_at", models.DateTimeField(null=True)),
        migrations.AddField("credential", "asking_until", models.DateTimeField(null=True)),
        migrations.AddField("credential", "warned_days", models.IntegerField(null=True)),
        migrations.RunSQL(RULES, UNDO),
    ]
