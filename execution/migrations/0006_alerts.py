"""When owners are told of a problem, and each time they were."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

CLOSE = """
SELECT kedge_close('execution_alertrule',
    'tenant_id = ANY ((SELECT kedge_ids(''kedge.tenants''))::bigint[])');
SELECT kedge_close('execution_alarm',
    'EXISTS (SELECT 1 FROM execution_alertrule AS its WHERE its.id = execution_alarm.rule_id)');
"""


class Migration(migrations.Migration):

    dependencies = [
        ('execution', '0005_forks'),
        ('tenants', '0008_keys'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='AlertRule',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(blank=True, default='', max_length=48)),
                ('task_type', models.CharField(blank=True, default='', max_length=64)),
                ('measure', models.CharField(max_length=16)),
                ('over', models.BigIntegerField()),
                ('made_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('ended_at', models.DateTimeField(null=True)),
                ('ended_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('made_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('tenant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenants.tenant')),
            ],
        ),
        migrations.CreateModel(
            name='Alarm',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('fingerprint', models.CharField(max_length=64)),
                ('value', models.BigIntegerField()),
                ('began_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('over_at', models.DateTimeField(null=True)),
                ('rule', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='alarms', to='execution.alertrule')),
            ],
        ),
        migrations.AddConstraint(
            model_name='alertrule',
            constraint=models.CheckConstraint(condition=models.Q(('measure__in', ('runs', 'unknown', 'amount', 'recipients', 'minutes'))), name='alert_measure_is_known'),
        ),
        migrations.AddConstraint(
            model_name='alertrule',
            constraint=models.CheckConstraint(condition=models.Q(('over__gte', 0)), name='an_alert_has_a_bound'),
        ),
        migrations.AddConstraint(
            model_name='alertrule',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('ended_at', None), ('ended_by', None)), models.Q(('ended_at__isnull', False), ('ended_by__isnull', False)), _connector='OR'), name='an_ended_alert_says_by_whom'),
        ),
        migrations.AddConstraint(
            model_name='alertrule',
            constraint=models.UniqueConstraint(condition=models.Q(('ended_at', None)), fields=('tenant', 'kind', 'task_type', 'measure', 'over'), name='one_alert_of_the_same'),
        ),
        migrations.AddIndex(
            model_name='alarm',
            index=models.Index(fields=['rule', '-id'], name='alarms_newest'),
        ),
        migrations.AddConstraint(
            model_name='alarm',
            constraint=models.UniqueConstraint(condition=models.Q(('over_at', None)), fields=('rule', 'fingerprint'), name='an_alert_goes_off_once'),
        ),
        migrations.RunSQL(CLOSE, migrations.RunSQL.noop),
    ]
