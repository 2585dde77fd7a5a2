"""A run may be moved to another combo, as ordered; and which combos succeed which."""

import re
from pathlib import Path

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

HERE = Path(__file__)
RULES, UNDO = HERE.with_suffix(".sql").read_text(encoding="utf-8").split("-- split")
COMMIT = HERE.with_name("0007_commit.sql").read_text(encoding="utf-8")


def as_before(name: str) -> str:
    """A function as the commit's migration made it."""
    (found,) = re.findall(rf"CREATE (FUNCTION {name}\(.*?\$\$;\n)", COMMIT, re.DOTALL)
    return f"CREATE OR REPLACE {found}"


class Migration(migrations.Migration):

    dependencies = [
        ('checkpoints', '0015_twins'),
        ('tenants', '0009_installations'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name='run',
            name='first_combo',
            field=models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='checkpoints.combo'),
        ),
        migrations.AddField(
            model_name='run',
            name='moving_to',
            field=models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='checkpoints.combo'),
        ),
        migrations.CreateModel(
            name='Repin',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('why', models.TextField()),
                ('cause', models.CharField(max_length=16)),
                ('reference', models.UUIDField(db_index=True, null=True)),
                ('ordered_by', models.CharField(max_length=200)),
                ('ordered_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('ended', models.CharField(blank=True, default='', max_length=16)),
                ('ended_at', models.DateTimeField(null=True)),
                ('sentence', models.TextField(blank=True, default='')),
                ('seq', models.BigIntegerField(null=True)),
                ('from_combo', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='checkpoints.combo')),
                ('person', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('run', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='repins', to='checkpoints.run')),
                ('tenant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenants.tenant')),
                ('to_combo', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='checkpoints.combo')),
            ],
            options={
                'indexes': [models.Index(fields=['run', 'id'], name='repins_of_a_run')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('ended', '')), fields=('run',), name='one_open_repin_per_run'), models.CheckConstraint(condition=models.Q(('why', ''), _negated=True), name='a_repin_says_why'), models.CheckConstraint(condition=models.Q(('from_combo', models.F('to_combo')), _negated=True), name='a_repin_leads_elsewhere'), models.CheckConstraint(condition=models.Q(models.Q(('cause', 'rollback'), ('reference__isnull', False)), models.Q(('cause', 'successor'), ('reference', None)), _connector='OR'), name='a_repin_has_a_cause'), models.CheckConstraint(condition=models.Q(models.Q(('ended', ''), ('ended_at', None), ('sentence', ''), ('seq', None)), models.Q(('ended', 'moved'), ('ended_at__isnull', False), ('seq__isnull', False)), models.Q(('ended__in', ['refused', 'withdrawn']), ('ended_at__isnull', False), ('seq', None), models.Q(('sentence', ''), _negated=True)), _connector='OR'), name='an_ended_repin_says_how_and_when')],
            },
        ),
        migrations.CreateModel(
            name='Successor',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('declared_by', models.CharField(max_length=200)),
                ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('combo', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='succeeds', to='checkpoints.combo')),
                ('of', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='successors', to='checkpoints.combo')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('combo', 'of'), name='declared_to_succeed_once'), models.CheckConstraint(condition=models.Q(('combo', models.F('of')), _negated=True), name='no_combo_succeeds_itself')],
            },
        ),
        migrations.RunSQL(RULES, UNDO + as_before("kedge_run_stays") + as_before("kedge_checkpoint_facts")),
    ]
