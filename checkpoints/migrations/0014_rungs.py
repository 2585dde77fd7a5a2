"""How far a combo may go with a tool at a tenant, as steps on a ladder."""

from pathlib import Path

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

RULES, UNDO = Path(__file__).with_suffix(".sql").read_text(encoding="utf-8").split("-- split")


class Migration(migrations.Migration):

    dependencies = [
        ('checkpoints', '0012_combo_parts'),
        ('tenants', '0009_installations'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='RungStep',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('tool', models.CharField(max_length=100)),
                ('number', models.IntegerField()),
                ('before', models.CharField(blank=True, max_length=16)),
                ('after', models.CharField(max_length=16)),
                ('why', models.TextField()),
                ('evidence', models.BinaryField(default=bytes)),
                ('digest', models.CharField(blank=True, default='', max_length=64)),
                ('made_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('combo', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='checkpoints.combo')),
                ('made_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('tenant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenants.tenant')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('tenant', 'combo', 'tool', 'number'), name='steps_of_a_ladder_are_numbered'), models.CheckConstraint(condition=models.Q(('after__in', ['fake', 'read', 'dry_run', 'write'])), name='a_ladder_has_four_rungs'), models.CheckConstraint(condition=models.Q(('why', ''), _negated=True), name='a_step_says_why')],
            },
        ),
        migrations.RunSQL(RULES, UNDO),
    ]
