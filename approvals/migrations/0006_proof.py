"""How and when a person last showed that it is them, kept with their decision."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [("approvals", "0005_shown")]

    operations = [
        migrations.AddField(
            model_name="decision",
            name="proved_by",
            field=models.CharField(blank=True, db_default="", default="", max_length=16),
        ),
        migrations.AddField(
            model_name="decision",
            name="proved_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.AddConstraint(
            model_name="decision",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("proved_at", None), ("proved_by", "")),
                    models.Q(
                        models.Q(("proved_by", ""), _negated=True), ("proved_at__isnull", False)
                    ),
                    _connector="OR",
                ),
                name="a_proof_has_a_method_and_a_time",
            ),
        ),
    ]
