"""Verdicts that take two people, and verdicts that were superseded."""

import uuid
from pathlib import Path

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

RULES, BEFORE = Path(__file__).with_suffix(".sql").read_text(encoding="utf-8").split("-- split")
UNDO = BEFORE + """
DROP TRIGGER verdict_takes_its_people ON checkpoints_verdict;
DROP TRIGGER superseding_is_append_only ON checkpoints_superseded;
DROP TRIGGER proposal_is_never_deleted ON checkpoints_proposedverdict;
DROP TRIGGER proposal_ends_once ON checkpoints_proposedverdict;
DROP FUNCTION kedge_guard_verdict();
DROP FUNCTION kedge_guard_proposal();
"""


class Migration(migrations.Migration):

    dependencies = [
        ('checkpoints', '0008_desk'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Superseded',
            fields=[
                ('verdict', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, primary_key=True, related_name='superseded', serialize=False, to='checkpoints.verdict')),
                ('reason', models.TextField()),
                ('unsaid', models.BooleanField()),
                ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
        ),
        migrations.AddField(
            model_name='verdict',
            name='agreed_by',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='verdict',
            name='people',
            field=models.SmallIntegerField(db_default=1, default=1),
        ),
        migrations.CreateModel(
            name='ProposedVerdict',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('verdict', models.CharField(max_length=32)),
                ('reason', models.TextField()),
                ('evidence', models.TextField(blank=True, default='')),
                ('detail', models.JSONField(default=dict)),
                ('terms', models.CharField(max_length=64)),
                ('state', models.CharField(max_length=64)),
                ('demanded_by', models.JSONField(default=list)),
                ('proposed_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('ended', models.CharField(blank=True, default='', max_length=16)),
                ('ended_at', models.DateTimeField(null=True)),
                ('why_ended', models.TextField(blank=True, default='')),
                ('case', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='proposals', to='checkpoints.case')),
                ('ended_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('proposed_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.AddField(
            model_name='verdict',
            name='proposal',
            field=models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='became', to='checkpoints.proposedverdict'),
        ),
        migrations.AddConstraint(
            model_name='verdict',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('agreed_by', None), ('people', 1)), models.Q(('agreed_by__isnull', False), ('people', 2)), _connector='OR'), name='a_verdict_has_as_many_people_as_the_rules_demand'),
        ),
        migrations.AddConstraint(
            model_name='verdict',
            constraint=models.CheckConstraint(condition=models.Q(('proposal', None), ('people', 2), _connector='OR'), name='what_was_proposed_takes_two'),
        ),
        migrations.AddConstraint(
            model_name='verdict',
            constraint=models.CheckConstraint(condition=models.Q(('agreed_by', models.F('given_by')), _negated=True), name='nobody_agrees_with_themselves'),
        ),
        migrations.AddField(
            model_name='superseded',
            name='superseded_by',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddConstraint(
            model_name='proposedverdict',
            constraint=models.UniqueConstraint(condition=models.Q(('ended', '')), fields=('case',), name='one_open_proposal_per_case'),
        ),
        migrations.AddConstraint(
            model_name='proposedverdict',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('ended', ''), ('ended_at__isnull', True), ('ended_by__isnull', True)), models.Q(('ended__in', ['agreed', 'declined', 'withdrawn', 'outdated']), ('ended_at__isnull', False), ('ended_by__isnull', False)), _connector='OR'), name='an_ended_proposal_says_how_when_and_by_whom'),
        ),
        migrations.AddConstraint(
            model_name='proposedverdict',
            constraint=models.CheckConstraint(condition=models.Q(('ended', 'agreed'), ('ended_by', models.F('proposed_by')), _negated=True), name='two_people_agree_on_a_verdict'),
        ),
        migrations.AddConstraint(
            model_name='proposedverdict',
            constraint=models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='a_proposal_has_a_reason'),
        ),
        migrations.AddConstraint(
            model_name='superseded',
            constraint=models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='superseding_has_a_reason'),
        ),
        migrations.RunSQL(RULES, UNDO),
    ]
