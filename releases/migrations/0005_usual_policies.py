"""A tenant says its own policy, and a release keeps from whom it has its own."""

from pathlib import Path

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

RULES, UNDO = Path(__file__).with_suffix(".sql").read_text(encoding="utf-8").split("-- split")


class Migration(migrations.Migration):

    dependencies = [
        ('releases', '0004_shadows'),
        ('tenants', '0009_installations'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='UsualPolicy',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('task_type', models.CharField(blank=True, default='', max_length=64)),
                ('policy', models.BinaryField()),
                ('policy_digest', models.CharField(blank=True, max_length=64)),
                ('why', models.TextField()),
                ('said_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('said_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenants.tenant')),
            ],
            options={
                'indexes': [models.Index(fields=['tenant', 'task_type', '-id'], name='usual_policies_newest_first')],
                'constraints': [models.CheckConstraint(condition=models.Q(('why', ''), _negated=True), name='a_usual_policy_says_why'), models.CheckConstraint(condition=models.Q(models.Q(('policy', b''), ('policy_digest', '')), models.Q(models.Q(('policy', b''), _negated=True), models.Q(('policy_digest', ''), _negated=True)), _connector='OR'), name='a_usual_policy_has_its_digest')],
            },
        ),
        migrations.AddField(
            model_name='release',
            name='policy_from',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='releases.usualpolicy'),
        ),
        migrations.RunSQL(RULES, UNDO),
    ]
