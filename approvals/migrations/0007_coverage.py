"""What a person decided without having opened it; and which approval of a tool was used last."""

from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):

    dependencies = [("approvals", "0006_proof")]

    operations = [
        migrations.AddField(
            model_name="decision",
            name="unopened",
            field=models.IntegerField(db_default=0, default=0),
        ),
        migrations.AddConstraint(
            model_name="decision",
            constraint=models.CheckConstraint(
                condition=Q(("unopened", 0))
                | Q(("unopened__gt", 0), ("verdict", "approve")),
                name="only_an_approval_goes_without_opening",
            ),
        ),
        migrations.AddIndex(
            model_name="approvalrequest",
            index=models.Index(
                condition=Q(("state", "used")),
                fields=["tenant", "tool", "-id"],
                name="used_requests_by_tool_newest",
            ),
        ),
    ]
