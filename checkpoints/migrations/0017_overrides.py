"""Business keys that people send to one arm of a canary by hand."""

from pathlib import Path

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

RULES, UNDO = Path(__file__).with_suffix(".sql").read_text(encoding="utf-8").split("-- split")


class Migration(migrations.Migration):

    dependencies = [
        ('checkpoints', '0016_repins'),
        ('tenants', '0009_installations'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Override',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('task_type', models.CharField(max_length=64)),
                ('business_key', models.CharField(max_length=200)),
                ('arm', models.CharField(max_length=16)),
                ('why', models.TextField()),
                ('made_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('ended_at', models.DateTimeField(null=True)),
                ('ended_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('made_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenants.tenant')),
            ],
            options={
                'indexes': [models.Index(fields=['tenant', 'task_type', 'business_key'], name='overrides_by_business_key')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('ended_at', None)), fields=('tenant', 'task_type', 'business_key'), name='one_override_per_business_key'), models.CheckConstraint(condition=models.Q(('arm__in', ['stable', 'candidate'])), name='an_override_names_an_arm'), models.CheckConstraint(condition=models.Q(models.Q(('why', ''), _negated=True), models.Q(('business_key', ''), _negated=True)), name='an_override_says_for_what_and_why'), models.CheckConstraint(condition=models.Q(models.Q(('ended_at', None), ('ended_by', None)), models.Q(('ended_at__isnull', False), ('ended_by__isnull', False)), _connector='OR'), name='an_ended_override_says_by_whom')],
            },
        ),
        migrations.RunSQL(RULES, UNDO),
    ]
