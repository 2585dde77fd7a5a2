"""The looks of a release."""

from pathlib import Path

import checkpoints.ids
import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

RULES, UNDO = Path(__file__).with_suffix(".sql").read_text(encoding="utf-8").split("-- split")


class Migration(migrations.Migration):

    dependencies = [
        ('releases', '0001_releases'),
        ('tenants', '0009_installations'),
    ]

    operations = [
        migrations.CreateModel(
            name='Look',
            fields=[
                ('id', models.UUIDField(default=checkpoints.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('after_move', models.IntegerField()),
                ('number', models.IntegerField()),
                ('verdict', models.CharField(max_length=16)),
                ('policy_digest', models.CharField(max_length=64)),
                ('sample_digest', models.CharField(max_length=64)),
                ('sample', models.BinaryField()),
                ('whole', models.BinaryField()),
                ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('release', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='looks', to='releases.release')),
                ('tenant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenants.tenant')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('release', 'after_move', 'number'), name='each_look_is_taken_once'), models.CheckConstraint(condition=models.Q(('number__gte', 1)), name='looks_are_numbered'), models.CheckConstraint(condition=models.Q(('verdict__in', ('promote_allowed', 'hold', 'stop'))), name='a_look_has_a_known_verdict')],
            },
        ),
        migrations.RunSQL(RULES, UNDO),
    ]
