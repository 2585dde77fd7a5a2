"""Which parts of a request people opened."""

import approvals.clock
import checkpoints.ids
import django.db.models.deletion
from pathlib import Path

from django.conf import settings
from django.db import migrations, models

RULES = Path(__file__).with_suffix('.sql').read_text(encoding='utf-8')
UNDO = "DROP TRIGGER opened_part_is_append_only ON approvals_openedpart;"


class Migration(migrations.Migration):

    dependencies = [
        ('approvals', '0004_drift'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='OpenedPart',
            fields=[
                ('id', models.UUIDField(default=checkpoints.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('part', models.CharField(max_length=64)),
                ('from_byte', models.IntegerField()),
                ('to_byte', models.IntegerField()),
                ('digest', models.CharField(max_length=64)),
                ('at', models.DateTimeField(db_default=approvals.clock.ClockTimestamp())),
                ('request', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='opened_parts', to='approvals.approvalrequest')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('request', 'user', 'part'), name='a_part_is_opened_once_per_person'),
                    models.CheckConstraint(condition=models.Q(('digest__regex', '^[0-9a-f]{64}$'), models.Q(('part', ''), _negated=True)), name='an_opened_part_has_a_name_and_a_digest'),
                    models.CheckConstraint(condition=models.Q(('from_byte__gte', 0), ('to_byte__gte', models.F('from_byte'))), name='an_opened_part_is_a_range'),
                ],
            },
        ),
        migrations.RunSQL(RULES, UNDO),
    ]
