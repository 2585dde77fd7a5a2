"""Which code a combo needs, who registered it, and when a worker with that code was last seen."""

from pathlib import Path

import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

import checkpoints.functions

PART, RULES = Path(__file__).with_suffix(".sql").read_text(encoding="utf-8").split("-- split")


class Migration(migrations.Migration):

    dependencies = [
        ('checkpoints', '0011_routes'),
    ]

    operations = [
        migrations.RunSQL(PART, "DROP FUNCTION kedge_code_part(bytea)"),
        migrations.AddField(
            model_name='combo',
            name='code_part',
            field=models.GeneratedField(db_persist=True, expression=checkpoints.functions.CodePart(models.F('manifest')), output_field=models.BinaryField()),
        ),
        migrations.AddIndex(
            model_name='combo',
            index=models.Index(fields=['code_part'], name='combos_by_code_part'),
        ),
        migrations.AddIndex(
            model_name='combo',
            index=models.Index(fields=['task_type', '-id'], name='combos_by_task_newest'),
        ),
        migrations.AddIndex(
            model_name='run',
            index=models.Index(fields=['tenant', 'combo', '-id'], name='runs_by_tenant_and_combo'),
        ),
        migrations.CreateModel(
            name='WorkerCode',
            fields=[
                ('part', models.BinaryField(primary_key=True, serialize=False)),
                ('seen_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
        ),
        migrations.CreateModel(
            name='Registration',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('variant', models.CharField(blank=True, default='', max_length=64)),
                ('revision', models.CharField(blank=True, default='', max_length=64)),
                ('registered_by', models.CharField(max_length=200)),
                ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('combo', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='registrations', to='checkpoints.combo')),
            ],
        ),
        migrations.AddConstraint(
            model_name='registration',
            constraint=models.UniqueConstraint(fields=('combo', 'variant', 'revision'), name='registered_once_at_a_revision'),
        ),
        migrations.RunSQL(RULES, "DROP TRIGGER registration_is_append_only ON checkpoints_registration"),
    ]
