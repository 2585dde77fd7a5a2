"""Claims, notes and waits for outside parties; where the run of a case stood, and its deadline."""

from pathlib import Path

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

RULES = Path(__file__).with_suffix(".sql").read_text(encoding="utf-8")
UNDO = """
DROP TRIGGER claim_ends_once ON checkpoints_claim;
DROP TRIGGER claim_is_never_deleted ON checkpoints_claim;
DROP TRIGGER note_is_append_only ON checkpoints_note;
DROP TRIGGER note_is_of_its_cases_tenant ON checkpoints_note;
DROP TRIGGER outside_wait_ends_once ON checkpoints_outsidewait;
DROP TRIGGER outside_wait_is_never_deleted ON checkpoints_outsidewait;
DROP TRIGGER outside_wait_is_of_its_cases_tenant ON checkpoints_outsidewait;
DROP FUNCTION kedge_guard_claim();
DROP FUNCTION kedge_guard_outside_wait();
DROP FUNCTION kedge_guard_tenant_of_case();
"""


class Migration(migrations.Migration):

    dependencies = [
        ('checkpoints', '0007_commit'),
        ('tenants', '0008_keys'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Claim',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(max_length=16)),
                ('key', models.CharField(max_length=128)),
                ('since', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('lease_until', models.DateTimeField()),
                ('ended', models.CharField(blank=True, db_default='', default='', max_length=16)),
                ('ended_at', models.DateTimeField(null=True)),
            ],
        ),
        migrations.CreateModel(
            name='Note',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('text', models.TextField()),
                ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
        ),
        migrations.CreateModel(
            name='OutsideWait',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('party', models.CharField(max_length=200)),
                ('why', models.TextField()),
                ('begun_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('ended_at', models.DateTimeField(null=True)),
            ],
        ),
        migrations.AddField(
            model_name='case',
            name='node',
            field=models.CharField(blank=True, db_default='', default='', max_length=64),
        ),
        migrations.AddField(
            model_name='case',
            name='prove_by',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='case',
            name='reopened_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='case',
            name='stood_at',
            field=models.BigIntegerField(db_default=0, default=0),
        ),
        migrations.AddIndex(
            model_name='case',
            index=models.Index(condition=models.Q(('closed_at', None), ('decided_at__isnull', False)), fields=['prove_by'], name='cases_not_yet_proven'),
        ),
        migrations.AddConstraint(
            model_name='case',
            constraint=models.CheckConstraint(condition=models.Q(('prove_by', None), ('decided_at__isnull', False), _connector='OR'), name='only_a_decided_case_has_to_be_proven'),
        ),
        migrations.AddField(
            model_name='claim',
            name='handed_by',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='claim',
            name='holder',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='claim',
            name='taken_from',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='claim',
            name='tenant',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenants.tenant'),
        ),
        migrations.AddField(
            model_name='note',
            name='case',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='notes', to='checkpoints.case'),
        ),
        migrations.AddField(
            model_name='note',
            name='tenant',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenants.tenant'),
        ),
        migrations.AddField(
            model_name='note',
            name='written_by',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='outsidewait',
            name='begun_by',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='outsidewait',
            name='case',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='outside_waits', to='checkpoints.case'),
        ),
        migrations.AddField(
            model_name='outsidewait',
            name='ended_by',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='outsidewait',
            name='tenant',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenants.tenant'),
        ),
        migrations.AddIndex(
            model_name='claim',
            index=models.Index(condition=models.Q(('ended', '')), fields=['tenant', 'holder'], name='claims_of_a_holder'),
        ),
        migrations.AddConstraint(
            model_name='claim',
            constraint=models.UniqueConstraint(condition=models.Q(('ended', '')), fields=('tenant', 'kind', 'key'), name='one_live_claim_per_subject'),
        ),
        migrations.AddConstraint(
            model_name='claim',
            constraint=models.CheckConstraint(condition=models.Q(('kind__in', ['case', 'problem'])), name='a_claim_is_of_a_case_or_a_problem'),
        ),
        migrations.AddConstraint(
            model_name='claim',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('ended', ''), ('ended_at', None)), models.Q(('ended__in', ['released', 'expired', 'taken_over', 'handed_over', 'settled']), ('ended_at__isnull', False)), _connector='OR'), name='an_ended_claim_says_how_and_when'),
        ),
        migrations.AddConstraint(
            model_name='note',
            constraint=models.CheckConstraint(condition=models.Q(('text', ''), _negated=True), name='a_note_says_something'),
        ),
        migrations.AddConstraint(
            model_name='outsidewait',
            constraint=models.UniqueConstraint(condition=models.Q(('ended_at__isnull', True)), fields=('case',), name='a_case_waits_outside_once_at_a_time'),
        ),
        migrations.AddConstraint(
            model_name='outsidewait',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('party', ''), _negated=True), models.Q(('why', ''), _negated=True)), name='an_outside_wait_says_for_whom_and_why'),
        ),
        migrations.AddConstraint(
            model_name='outsidewait',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('ended_at', None), ('ended_by', None)), models.Q(('ended_at__isnull', False), ('ended_by__isnull', False)), _connector='OR'), name='an_ended_outside_wait_says_by_whom'),
        ),
        migrations.AddConstraint(
            model_name='outsidewait',
            constraint=models.CheckConstraint(condition=models.Q(('ended_at', None), ('ended_at__gte', models.F('begun_at')), _connector='OR'), name='an_outside_wait_ends_after_it_began'),
        ),
        migrations.RunSQL(RULES, UNDO),
    ]
